"""The project against its peers, and under load: run with `make bench`."""
