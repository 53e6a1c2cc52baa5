"""Constraint solvers."""
