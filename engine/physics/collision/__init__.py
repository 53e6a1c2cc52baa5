"""Collision detection: candidate pairs, narrow-phase routines, contact slots."""
