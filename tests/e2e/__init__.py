"""The program as a person meets it: started in a real terminal, driven by keys, judged by what is on the screen."""
