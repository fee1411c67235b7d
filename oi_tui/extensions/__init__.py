"""What a person or a project adds to the program: skills."""
