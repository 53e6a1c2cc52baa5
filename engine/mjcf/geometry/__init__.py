"""Poses, shapes and inertia matrices, as tuples of floats."""
