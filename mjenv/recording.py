"""Recorded episodes, and films of them."""

from mjenv.training.film import Shot, draw, film
from mjenv.training.page import write_page
from mjenv.training.recording import Recording, record

__all__ = ["Recording", "Shot", "draw", "film", "record", "write_page"]
