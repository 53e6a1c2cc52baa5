"""Tasks: the base class, and what a task's functions are given and may remember."""
