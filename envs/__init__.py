"""The tasks, one file per task or domain."""
