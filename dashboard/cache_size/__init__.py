"""What Cache size says and draws; Overview shows a part of it."""
