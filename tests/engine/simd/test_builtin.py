"""Built-in functions of kernels: what is as expected goes to the kernel, all else to Python."""

import os
import pickle
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import mjenv.mujoco
from mjenv.engine.direct.function import Function
from mjenv.engine.simd import builtin
from mjenv.engine.simd import shared_code as module
from mjenv.engine.simd.builtin import ARRAY, REAL, TEXT, WHOLE, Argument, is_known
from mjenv.engine.simd.kernel import interpreted, kernel

A, B, OUT = np.array([1.0, 2, 3, 4]), np.array([5.0, 6, 7, 8]), np.zeros(4)


@kernel
def combine(c):
    """Sums of a and multiples of b; the first letter of a text is refused if it is `n`."""
    if c.word[0] == 110:
        c.refused[0] = 1
    else:
        for k in range(c.a_size):
            c.out[k] = c.a[k] + c.factor[0] * c.b[k] + c.shift
        c.result[0] = c.out[0]


ARGUMENTS = (
    Argument("out", ARRAY, shape=("a_size",), written=True),
    Argument("a", ARRAY, shape=("a_size",)),
    Argument("b", ARRAY, shape=("a_size",)),
    Argument("factor", REAL),
    Argument("shift", WHOLE),
    Argument("word", TEXT, shape=(3,)),
)


def refuse(*given):
    raise ValueError(f"refused: {given[-1]}")


def other(*given, **named):
    return "other"


@pytest.fixture(scope="module")
def function():
    return Function(combine, ARGUMENTS, {}, "float", refuse)


def skip_where_unknown():
    if sys.version_info < (3, 11):
        pytest.skip("Python 3.10 lacks a function that the machine code calls")
    assert is_known()  # the versions of Python and numpy that tests run with are


@pytest.fixture
def combined(function):
    if interpreted():
        pytest.skip("kernels are interpreted")
    skip_where_unknown()
    return function.builtin(other, (__name__, "combined_here"), True)


@pytest.mark.parametrize(
    ("factor", "value"), [(2.0, 12.0), (2, 12.0), (np.float64(2.0), 12.0), (-1.0, -3.0)]
)
def test_arguments_that_fit_go_to_the_kernel(combined, factor, value):
    out = np.zeros(4)
    assert combined(out, A, B, factor, 1, "xyz") == value
    np.testing.assert_array_equal(out, A + factor * B + 1)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (0, OUT.astype("f4")), (0, np.zeros((4, 1))), (0, np.zeros(8)[::2]), (0, np.zeros(3)),
        (0, [0.0] * 4), (1, A.astype(int)), (1, A.astype(">f8")), (1, list(A)), (2, np.zeros(5)),
        (2, None), (3, "2"), (3, np.float32(2)), (3, 1 << 70), (3, None), (4, 1.0), (4, 1 << 31),
        (4, 1 << 70), (4, True), (5, "xyzw"), (5, b"xyz"), (5, "\ud800zz"), (5, "no!"),
    ],
)  # fmt: skip
def test_arguments_that_do_not_fit_go_to_python(combined, place, value):
    given = [np.zeros(4), A, B, 2.0, 1, "xyz"]
    given[place] = value
    assert combined(*given) == "other"


def test_arrays_that_must_not_be_written_and_arrays_that_share_memory(combined):
    fixed, both = np.zeros(4), np.zeros(7)
    fixed.flags.writeable = False
    assert combined(fixed, A, B, 2.0, 1, "xyz") == "other"
    assert combined(both[:4], both[3:], B, 2.0, 1, "xyz") == "other"
    assert combined(both[:4], A, both[:4], 2.0, 1, "xyz") == "other"
    assert combined(np.zeros(4), both[:4], both[:4], 2.0, 1, "xyz") == 1.0


def test_numbers_of_arguments_and_names(combined):
    assert combined(OUT, A, B, 2.0, 1) == "other"
    assert combined(OUT, A, B, 2.0, 1, word="xyz") == "other"
    assert combined() == "other"


def test_errors_of_python_come_through(function):
    def fails(*given):
        raise KeyError("no")

    if is_known():
        with pytest.raises(KeyError, match="no"):
            function.builtin(fails, (__name__, "combined_here"), True)()


def test_called_from_python_it_is_the_same(function):
    """Arrays that share memory count as they were, results go to any array."""
    both = np.zeros(8)
    both[::2] = A
    assert function(both[::2], both[::2], B, 2.0, 1, "xyz") == 12.0
    np.testing.assert_array_equal(both[::2], A + 2 * B + 1)
    for word in ("now", "four"):
        with pytest.raises(ValueError, match=f"refused: {word}"):
            function(OUT, A, B, 2.0, 1, word)


def test_results_are_given_back(combined):
    """Neither None nor the table is counted wrongly."""
    negate = mjenv.mujoco.mju_negQuat
    before = sys.getrefcount(negate.__self__), sys.getrefcount(A)
    for _ in range(1000):
        negate(OUT, A)
    assert (sys.getrefcount(negate.__self__), sys.getrefcount(A)) == before


def test_functions_are_pickled_by_their_names():
    function = mjenv.mujoco.mju_mulQuat
    assert pickle.loads(pickle.dumps(function)) is function
    assert "mju_mulQuat(res" in (function.__doc__ or "")


def test_interpreted_functions_are_written_in_python():
    text = (
        "import numpy as np, mjenv.mujoco as m; q = np.zeros(4);"
        "m.mju_euler2Quat(q, [0, 0, 0], 'xyz'); print(q.tolist(), type(m.mju_mulQuat).__name__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, check=True,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
    )  # fmt: skip
    assert done.stdout.split("\n")[0] == "[1.0, 0.0, 0.0, 0.0] function"


def test_the_code_is_written_once(function, monkeypatch, tmp_path):
    """Other processes take it from the cache, and enter the addresses that they have."""
    if interpreted():
        pytest.skip("kernels are interpreted")
    skip_where_unknown()
    monkeypatch.setenv("MJENV_CACHE_DIR", str(tmp_path))

    def never():
        raise AssertionError("the code is in the cache")

    def loaded(write):
        monkeypatch.setattr(module, "_loaded", {})  # as in a new process
        return module.shared_code(builtin.NAME, write)

    loaded(builtin._text)
    found = loaded(never)
    kept = module._loaded
    monkeypatch.setattr(builtin, "_machine_code", lambda: found)
    combined = function.builtin(other, (__name__, "combined_here"), True)
    assert combined(OUT, A, B, 2.0, 1, "abc") == A[0] + 2 * B[0] + 1
    assert combined(OUT, A, B, 2.0, "1", "abc") == "other"
    assert [place for place, _ in kept.values()] == [found]
    # damaged files are as good as none
    (file,) = tmp_path.glob("*.o")
    file.write_bytes(b"damaged")
    with pytest.raises(AssertionError, match="in the cache"):
        loaded(never)


def test_threads_load_the_code_once(monkeypatch):
    if interpreted():
        pytest.skip("kernels are interpreted")
    skip_where_unknown()
    code, link, calls = builtin._machine_code, module.linked, []

    def slowly(*given):
        calls.append(given[1])
        time.sleep(0.05)
        return link(*given)

    with monkeypatch.context() as patch:
        patch.setattr(module, "_loaded", dict(module._loaded))
        module._loaded.pop(builtin.NAME, None)
        patch.setattr(module, "linked", slowly)
        with ThreadPoolExecutor(4) as pool:
            found = {future.result() for future in [pool.submit(code) for _ in range(4)]}
    assert (len(found), calls) == (1, [builtin.NAME])


def test_first_calls_of_a_process_in_several_threads():
    text = """
import threading
import numpy as np
import mjenv.mujoco as m
model = m.MjModel.from_xml_string(
    "<mujoco><worldbody><body><joint/><geom size='.1' pos='.2 0 0'/></body></worldbody></mujoco>"
)
start = threading.Barrier(4)
def work():
    data = m.MjData(model)
    start.wait()
    for _ in range(20):
        m.mju_rotVecQuat(np.zeros(3), np.ones(3), np.array([1.0, 0, 0, 0]))
        m.mj_kinematics(model, data)
        m.mj_jacBody(model, data, np.zeros((3, 1)), None, 1)
        m.mj_step(model, data)
    times.append(data.time)
times = []
threads = [threading.Thread(target=work) for _ in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
print(len(times))
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "4\n"), done.stderr
