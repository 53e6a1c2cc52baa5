"""Deformables: what they are made of, from elements to arrays."""
