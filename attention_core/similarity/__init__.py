"""What the measures say about one set of embeddings: scores, rankings and how far the rankings agree."""
