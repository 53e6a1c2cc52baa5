"""The compiled model: its fields, names, references, edits and files."""
