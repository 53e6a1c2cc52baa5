"""Data of N worlds, and the functions that step, reset and look at them."""
