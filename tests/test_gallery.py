"""The gallery: its films have pictures of agents at work, and its pictures have words."""

import re
from pathlib import Path

import pytest
from PIL import Image

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE = (DOCS / "gallery.md").read_text()
FILMS = re.findall(r"<video([^>]*)>", PAGE)
START = re.findall(r"<video([^>]*)>", (DOCS / "index.md").read_text())


@pytest.mark.parametrize("film", FILMS + START)
def test_films_play_and_have_a_poster(film):
    """Nobody has to find a button to see the agent move, nor sees an empty frame before."""
    assert {"autoplay", "loop", "muted", "playsinline"} <= set(film.split())
    (poster,) = re.findall(r'poster="([^"]+)"', film)
    (source,) = re.findall(r'src="([^"]+)"', film)
    assert (DOCS / source).is_file()
    assert (DOCS / poster).stat().st_size < 60_000
    with Image.open(DOCS / poster) as picture:
        assert picture.size == (400, 300)


def test_pictures_have_words():
    assert len(FILMS) >= 7
    assert START
    assert not re.findall(r"!\[\]", PAGE)
