"""What holds for tests of trainings: curves are drawn where a test looks at them."""

import inspect
import sys
from pathlib import Path

import pytest


@pytest.fixture(autouse=True, scope="module")
def curves_are_drawn_where_they_are_looked_at(request):
    """matplotlib takes longer than a short training; who wants it has CURVES_ARE_DRAWN."""
    module = sys.modules.get("mjenv.training.train")
    if module is None or hasattr(request.module, "CURVES_ARE_DRAWN"):
        yield
        return
    signature = inspect.signature(module.plot_curve)

    def note(*args, **kwargs) -> None:
        """Take what the picture would be made of, and leave a file in its place."""
        given = signature.bind(*args, **kwargs).arguments
        Path(given["path"]).write_text(given["title"])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "plot_curve", note)
        yield
