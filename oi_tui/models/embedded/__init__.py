"""The built-in model: fetch its weights, run them in a child process, talk to it as to any other model."""
