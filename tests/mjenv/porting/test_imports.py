"""Names that a module or a function imports from numpy and math know symbols, too."""

import builtins

import numpy as np
from numpy import array, clip, float64, linalg, ndarray, zeros
from numpy import concatenate as joined
from numpy.linalg import norm

from mjenv.porting.checking import check
from mjenv.porting.porting import report
from tests.mjenv.porting.environments import environment, plain


def of_the_module(self, action):
    self.data.ctrl[:] = action
    self.physics()
    found = zeros(3)
    found[0], found[1] = self.data.qpos[0], norm(self.data.qvel)
    found[2] = clip(linalg.norm(found), 0, 0.5)
    assert isinstance(found, ndarray)
    return plain(self, action, float(joined([found, array([found[0], 1.0], dtype=float64)]).sum()))


def of_the_function(self, action):
    import math

    import numpy
    import numpy.linalg as algebra
    from numpy import ones
    from numpy.linalg import inv

    self.data.ctrl[:] = action
    self.physics()
    x = self.data.qpos[0]
    found = numpy.zeros(2)
    found[0] = math.sin(float(x)) + algebra.norm(ones(3) * x)
    matrix = ones((2, 2))
    matrix[0, 0] = 3.0 + x
    return plain(self, action, float((inv(matrix) @ found).sum()))


def test_imports_are_followed():
    imports = builtins.__import__
    for step in (of_the_module, of_the_function):
        make = environment(step)
        assert report(make).way == "traced", report(make)
        found = check(make, nseed=2, nstep=10)
        assert not found.first, found
        assert found.largest < 1e-12
    assert builtins.__import__ is imports
    assert zeros is np.zeros
