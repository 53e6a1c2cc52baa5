"""Public names that have changed: the former ones work for one more release, with a warning."""

import gymnasium
import pytest


@pytest.mark.parametrize("make", [gymnasium.make, gymnasium.make_vec])
def test_reason_for_numpy(make):
    env = make("mjenv/InvertedPendulum-v5", compiled=False)
    with pytest.warns(DeprecationWarning, match="found plain_reason, expected its new name comp"):
        assert env.unwrapped.plain_reason is None
    assert env.unwrapped.compile_error is None
    env.close()
