"""What Step by step asks, says and draws; Overview shows a part of it."""
