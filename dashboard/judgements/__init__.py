"""What Human judgements says and draws; Overview shows a part of it."""
