"""What Diagnostics says and draws; Overview shows a part of it."""
