"""Rays: the nearest visible surface along a line."""
