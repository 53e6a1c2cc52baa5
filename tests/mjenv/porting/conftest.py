"""What holds for tests of ports: each follows environments, compiles them and compares them."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Of the tests of a file, which take seconds each, the first that is not slow stays quick."""
    begun = set()
    for item in items:
        if item.path.parent == HERE and not item.get_closest_marker("slow"):
            if item.path in begun:
                item.add_marker("slow")
            begun.add(item.path)
