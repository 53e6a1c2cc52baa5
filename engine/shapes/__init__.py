"""Shapes that functions describe."""
