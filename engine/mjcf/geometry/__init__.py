"""Poses, shapes, inertia and bounding volumes of parts, as tuples of floats."""
