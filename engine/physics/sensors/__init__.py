"""Sensors: one row of a table and one function for each type."""
