"""Models being edited: documents, constants that follow from edits, length ranges."""
