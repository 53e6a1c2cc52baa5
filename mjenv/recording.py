"""Recorded episodes, and films of them."""

from mjenv.training.films.film import draw, film
from mjenv.training.films.html_page import write_page
from mjenv.training.films.recording import Recording, record
from mjenv.training.films.shot import Shot

__all__ = ["Recording", "Shot", "draw", "film", "record", "write_page"]
