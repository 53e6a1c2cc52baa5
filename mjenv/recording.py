"""Recorded episodes, and films of them."""

from mjenv.training.films.film import Shot, draw, film
from mjenv.training.films.html_page import write_page
from mjenv.training.films.recording import Recording, record

__all__ = ["Recording", "Shot", "draw", "film", "record", "write_page"]
