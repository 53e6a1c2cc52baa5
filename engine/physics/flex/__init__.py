"""Deformables: where their vertices are, and what pulls at them."""
