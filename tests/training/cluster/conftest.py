"""What tests of clusters share: a cluster on this machine."""

import os

import pytest


@pytest.fixture(scope="module")
def cluster():
    """Two processors, for the tests of a file; `usefixtures` asks for it."""
    import ray

    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    quiet = {"log_to_driver": False, "logging_level": "ERROR", "include_dashboard": False}
    quiet["address"] = "local"  # not what another test has left
    ray.init(num_cpus=2, **quiet)
    yield
    ray.shutdown()
