"""What Map says and draws."""
