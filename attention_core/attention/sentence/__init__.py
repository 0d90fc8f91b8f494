"""A sentence as tokens of a vocabulary and their vectors: what attention begins with."""

from attention_core.attention.sentence.sentence import (
    MOST_CHARACTERS,
    MOST_TOKENS,
    NAMED,
    TREATMENTS,
    SampleSentence,
    Sentence,
    Treatment,
    Unknown,
    first_words,
    sentence,
    sentences,
)

__all__ = [
    "MOST_CHARACTERS",
    "MOST_TOKENS",
    "NAMED",
    "TREATMENTS",
    "SampleSentence",
    "Sentence",
    "Treatment",
    "Unknown",
    "first_words",
    "sentence",
    "sentences",
]
