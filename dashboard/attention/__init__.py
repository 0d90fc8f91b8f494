"""What the pages on attention ask for: a sentence, and how it is attended to."""
