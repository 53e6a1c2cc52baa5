"""What tests of learners share: numbers of PyTorch depend on its threads."""

import pytest


@pytest.fixture
def one_thread():
    """PyTorch computes in one thread."""
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
