"""Numerical integration in time."""
