"""Contacts of deformables: which elements may touch what, where they do, and their rows."""
