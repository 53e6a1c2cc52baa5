"""Benchmarks: rows of a table (`rows.py`), measured by one runner (`python -m benchmarks`)."""
