"""Domain randomization: what is drawn, when, and where it goes."""
