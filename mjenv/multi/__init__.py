"""Worlds of several tasks or robots in one vector environment."""
