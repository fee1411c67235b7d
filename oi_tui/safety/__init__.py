"""What may run, and who says so."""
