"""Robots that follow commands: examples to copy."""
