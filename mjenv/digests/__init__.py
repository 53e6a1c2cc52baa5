"""Digests of trajectories: the bits of every environment, recorded, and compared anywhere."""
