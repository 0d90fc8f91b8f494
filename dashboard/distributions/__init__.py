"""What Score distributions says and draws; Overview shows a part of it."""
