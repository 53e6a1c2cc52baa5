"""Constraints: blocks, rows, impedance, equalities."""
