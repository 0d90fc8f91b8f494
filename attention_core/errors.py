"""Every refusal of the core: two sentences, what was given and expected, and what to do."""


class AttentionCoreError(ValueError):
    """Base of everything the core refuses; its message is meant for the person at the keyboard."""


class EmbeddingsError(AttentionCoreError):
    """A file or a pair of words and matrix that cannot become `Embeddings`.

    Attributes:
        excerpt: the line of a text that it speaks of and its neighbours, each with its number, shortened; () where it
            speaks of none.
    """

    excerpt: tuple[str, ...] = ()


class UnknownWordError(AttentionCoreError, KeyError):
    """A word outside the vocabulary.

    Attributes:
        word: the word that was asked for.
        suggestions: the nearest spellings in the vocabulary, nearest first.
    """

    def __init__(self, word: str, suggestions: tuple[str, ...], source: str) -> None:
        self.word, self.suggestions = word, suggestions
        nearest = f" Nearest spellings: {', '.join(suggestions)}." if suggestions else ""
        super().__init__(f"“{word}” is not among the words of {source}.{nearest} Choose a word of the vocabulary.")

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError would show the repr


class ComputeError(AttentionCoreError):
    """A device or dtype that this machine cannot compute with."""


class ScoringError(AttentionCoreError):
    """Queries, keys, weights or options that do not fit together."""


class AttentionError(AttentionCoreError):
    """Queries, keys, values, masks, projections or options of attention that do not fit together."""


class CacheError(AttentionCoreError):
    """A model, its configuration or a workload for which no KV cache can be sized or allocated."""
