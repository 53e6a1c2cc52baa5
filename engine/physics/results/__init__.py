"""Contacts, rows, islands, tendons and forces of bodies as users read them."""
