"""What MLA asks, says and draws; Overview shows a part of it."""
