"""Recorded episodes, their films and pages."""
