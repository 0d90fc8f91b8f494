"""What a reader takes away: tables as CSV, and the Python that reproduces a view; one file per page."""
