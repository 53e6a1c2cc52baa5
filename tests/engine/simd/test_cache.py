"""The cache of compiled code: what an entry's file is named after, and what loading takes."""

import os
import re
import subprocess
import sys
import types

import numpy as np
import pytest

from mjenv.engine.simd import cache, compiling, kernel, meaning, missing
from mjenv.engine.simd.kernel import kernel as mark
from mjenv.engine.simd.kernel import variant
from mjenv.engine.simd.meaning import digest as digest_of
from mjenv.engine.simd.record import Layout, Record

LAYOUT = Layout("test", [("x", "f8"), ("n", "size")])
SOURCE = '''
FACTOR = {factor}

@mark
def inner(x):
    """{doc}"""
    return x {sign} FACTOR

@mark
def unrelated(x):
    return x * {other}

@mark
def entry(m, d):
    for k in range(m.n):
        d.x[k] = inner(d.x[k])
'''


def digest(factor=2.0, doc="Text.", sign="*", other=3.0, width=4) -> str:
    module = types.ModuleType("scratch")
    module.mark = mark
    source = SOURCE.format(factor=factor, doc=doc, sign=sign, other=other)
    exec(compile(source, "scratch", "exec"), module.__dict__)
    records = ((LAYOUT, 0, True), (LAYOUT, width, False))
    return digest_of(module.entry, records)


def test_an_edit_recompiles_what_depends_on_it():
    assert digest() == digest()
    assert digest(factor=3.0) != digest()
    assert digest(sign="+") != digest()
    assert digest(width=8) != digest()
    assert digest(doc="Other words.") == digest()
    assert digest(other=4.0) == digest()


def test_a_kernel_names_only_kernels_and_constants():
    @mark
    def wrong(m, d):
        return subprocess

    with pytest.raises(TypeError, match="global 'subprocess' is a module; expected a kernel"):
        digest_of(wrong, ((LAYOUT, 0, True), (LAYOUT, 1, False)))


HEAD = """
import math
@mark
def one(x):
    return x + 1.0

@mark
def two(x):
    return x + 2.0

A, B = 1.0, 2.0
"""
TAIL = """
@mark
def entry(m, d):
    d.x[0] = inner(d.x[0])
"""
# what changes, and two sources that differ in nothing else
INGREDIENTS = {
    "default argument": ["def inner(x, k=1.0): return x * k", "def inner(x, k=2.0): return x * k"],
    "which argument has a default": [
        "def inner(x, j=1.0, k=2.0): return x * j - k",
        "def inner(x, j=2.0, k=1.0): return x * j - k",
    ],
    "type of a default argument": [
        "def inner(x, k=1): return x * (k / 2)",
        "def inner(x, k=1.0): return x * (k / 2)",
    ],
    "type of a constant": [
        "C = 1\ndef inner(x): return x * C",
        "C = 1.0\ndef inner(x): return x * C",
    ],
    "truth value or number": [
        "C = 1\ndef inner(x): return x * C",
        "C = True\ndef inner(x): return x * C",
    ],
    "sign of zero": ["C = 0.0\ndef inner(x): return x / C", "C = -0.0\ndef inner(x): return x / C"],
    "sign of zero in code": ["def inner(x): return x / 0.0", "def inner(x): return x / -0.0"],
    "not a number": [
        "C = 0.0\ndef inner(x): return x + C",
        "C = math.nan\ndef inner(x): return x + C",
    ],
    "sign of not-a-number": [
        "C = math.nan\ndef inner(x): return C",
        "C = -math.nan\ndef inner(x): return C",
    ],
    "number in a tuple": [
        "C = (1.0, (2.0, 3.0))\ndef inner(x): return x * C[1][0]",
        "C = (1.0, (4.0, 3.0))\ndef inner(x): return x * C[1][0]",
    ],
    "kernel behind a name": [
        "f = one\n@mark\ndef inner(x): return f(x)",
        "f = two\n@mark\ndef inner(x): return f(x)",
    ],
    "kernels changed places": [
        "f, g = one, two\ndef inner(x): return f(x) * 2.0 + g(x)",
        "f, g = two, one\ndef inner(x): return f(x) * 2.0 + g(x)",
    ],
    "which of two of the same name": [
        "f, g = variant(three, A=1.0), variant(three, A=2.0)\nh = f\n"
        "def inner(x): return f(x) * g(x) * h(x)",
        "f, g = variant(three, A=1.0), variant(three, A=2.0)\nh = g\n"
        "def inner(x): return f(x) * g(x) * h(x)",
    ],
    "default argument of a variant": [
        "def f(x, k=1.0): return x * k + A\ng = variant(f, A=3.0)\ndef inner(x): return g(x)",
        "def f(x, k=2.0): return x * k + A\ng = variant(f, A=3.0)\ndef inner(x): return g(x)",
    ],
    "function inside": [
        "def inner(x):\n    f = lambda y: y * 2.0\n    return f(x)",
        "def inner(x):\n    f = lambda y: y * 3.0\n    return f(x)",
    ],
    "constant of a function inside": [
        "C = 2.0\ndef inner(x):\n    f = lambda y: y * C\n    return f(x)",
        "C = 3.0\ndef inner(x):\n    f = lambda y: y * C\n    return f(x)",
    ],
    "which names are arguments": [
        "def inner(x, a=1.0):\n    b = 2.0\n    return x * a + b",
        "def inner(x, a=1.0, b=2.0):\n    b = 2.0\n    return x * a + b",
    ],
    "name of a global": ["def inner(x): return x * A", "def inner(x): return x * B"],
}


def entry_of(source):
    """The entry of a module; every function of it that is no variant is a kernel."""
    module = types.ModuleType("scratch")
    module.__dict__.update(mark=mark, variant=variant)
    text = HEAD + "@mark\ndef three(x):\n    return x + A\n" + source + TAIL
    exec(compile(text, "scratch", "exec"), module.__dict__)
    for value in vars(module).values():
        if isinstance(value, types.FunctionType) and value.__module__ == "scratch":
            mark(value)
    return module.entry


RECORDS = ((LAYOUT, 0, True), (LAYOUT, 1, False))


@pytest.mark.parametrize("sources", INGREDIENTS.values(), ids=INGREDIENTS)
def test_each_ingredient_is_in_the_key(sources):
    one, other = (digest_of(entry_of(source), RECORDS) for source in sources)
    assert one != other
    assert [digest_of(entry_of(source), RECORDS) for source in sources] == [one, other]


def run(entry, x=1.5):
    """What a compiled entry makes of a number."""
    model, data = Record(LAYOUT), Record(LAYOUT)
    data.set_array("x", np.array([x]))
    kernel.callable_at(kernel.address(entry, *RECORDS), 2)(model.address, data.address)
    return data.arrays["x"][0]


SAME_RESULT = {"type of a default argument", "type of a constant", "truth value or number"}
SAME_RESULT |= {"sign of not-a-number", "which names are arguments"}


@pytest.mark.slow
@pytest.mark.skipif(kernel.interpreted(), reason="nothing is compiled")
@pytest.mark.parametrize("name", [n for n in INGREDIENTS if n not in SAME_RESULT])
def test_each_ingredient_changes_the_result(name, tmp_path, monkeypatch):
    monkeypatch.setenv("MJENV_CACHE_DIR", str(tmp_path))
    found = [run(entry_of(source)) for source in INGREDIENTS[name]]
    assert found[0] != found[1]
    # and another process finds its own
    again = [missing.object_code(entry_of(source), RECORDS) for source in INGREDIENTS[name]]
    assert again[0] != again[1]
    assert len(list(tmp_path.iterdir())) == 2


REFUSED = {
    "C = [1.0]\ndef inner(x): return x * C[0]": "inner: global 'C' is a list; expected a kernel",
    "C = {1: 2}\ndef inner(x): return x * C[1]": "inner: global 'C' is a dict; expected",
    "C = (one, 1.0)\ndef inner(x): return C[0](x)": "inner: global 'C' is a tuple; expected",
    "def inner(x): return x * math.pi": "inner: global 'math' is a module; expected",
    "def inner(x, k=[1.0]): return x * k[0]": "a default argument is a list; expected a constant",
    "def inner(x, f=one): return f(x)": "a default argument is a function; expected a constant",
    "def inner(x, *, k=2.0): return x * k": "inner: k: found a lone *, expected constants",
    "def outer(k):\n    def f(x): return k * x\n    return f\n"
    "inner = mark(outer(2.0))": "f: k: found variables of another function, expected constants",
    "inner = len": "entry: global 'inner' is a builtin_function_or_method; expected",
}


@pytest.mark.parametrize("source", REFUSED)
def test_what_no_key_could_tell_apart_is_refused(source):
    with pytest.raises(TypeError, match=re.escape(REFUSED[source])):
        digest_of(entry_of(source), RECORDS)


@pytest.mark.skipif(kernel.interpreted(), reason="nothing is compiled")
def test_a_kernel_that_calls_itself_is_refused():
    entry = entry_of("def inner(x): return inner(x)")
    with pytest.raises(TypeError, match="kernel inner: calls itself; expected a loop"):
        compiling.compiled(entry, RECORDS)


CALLED = """
@mark
def called(m, d):
    for k in range(m.n):
{body}

@mark
def inner(m, d):
    if m.n > 0:
        called(m, d)
    d.x[0] = d.x[0] * 2.0
    called(m, d)
"""


@pytest.mark.slow
@pytest.mark.skipif(kernel.interpreted(), reason="nothing is compiled")
def test_an_entry_may_be_called_by_a_later_one(tmp_path, monkeypatch):
    monkeypatch.setenv("MJENV_CACHE_DIR", str(tmp_path))
    module = types.ModuleType("scratch")
    module.mark = mark
    # long enough that it is not made part of what calls it
    body = "\n".join(f"        d.x[k] = d.x[k] * 0.5 + 1.0 / (d.x[k] + {k})" for k in range(200))
    exec(compile(CALLED.format(body=body), "scratch", "exec"), module.__dict__)
    called, entry = module.called, module.inner
    alone = run(called)
    assert run(entry) == run(called, 2.0 * alone)


@pytest.mark.skipif(kernel.interpreted(), reason="nothing is compiled")
def test_calls_of_what_is_not_there_are_refused():
    import llvmlite.binding as llvm

    code = "declare void @absent()\ndefine void @f() {\n  call void @absent()\n  ret void\n}"
    with pytest.raises(RuntimeError, match=r"kernel run: compiled code calls \['absent'\]"):
        compiling._refuse_unresolved(llvm.parse_assembly(code), run)


@pytest.mark.parametrize("thing", [3, "f", len, type, None])
def test_only_functions_are_kernels(thing):
    with pytest.raises(TypeError, match=r"kernel: found a .*, expected a function written in"):
        mark(thing)


ENVIRONMENT = {"NUMBA_OPT": "0", "NUMBA_CPU_NAME": "generic", "NUMBA_BOUNDSCHECK": "1"}


@pytest.mark.parametrize("name", [*ENVIRONMENT, "NUMBA_NUM_THREADS", "NUMBA_CACHE_DIR"])
def test_settings_of_the_compiler_are_in_the_key(name, monkeypatch):
    entry = entry_of("def inner(x): return x")
    before = digest_of(entry, RECORDS)
    monkeypatch.setenv(name, ENVIRONMENT.get(name, "1"))
    assert (digest_of(entry, RECORDS) != before) == (name in ENVIRONMENT)


def test_the_compiler_s_file_of_settings_is_in_the_key(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    entry = entry_of("def inner(x): return x")
    before = digest_of(entry, RECORDS)
    (tmp_path / meaning.SETTINGS_FILE).write_text("opt: 0")
    assert digest_of(entry, RECORDS) != before


TOOLS = {
    "_numba": lambda: "0.0",
    "OPTIONS": {},
    "ENTRY_NAME": "other",
    "STRIP": 4,
    "source_key": lambda name: "edited",
}


@pytest.mark.parametrize("name", TOOLS)
def test_tools_are_in_the_key(name, monkeypatch):
    entry = entry_of("def inner(x): return x")
    before = digest_of(entry, RECORDS)
    monkeypatch.setattr(meaning, name, TOOLS[name])
    meaning.toolchain.cache_clear()
    after = digest_of(entry, RECORDS)
    monkeypatch.undo()
    meaning.toolchain.cache_clear()
    assert after != before
    assert digest_of(entry, RECORDS) == before


@pytest.mark.parametrize("name", ["get_host_cpu_name", "get_process_triple"])
def test_the_processor_is_in_the_key(name, monkeypatch):
    import llvmlite.binding as llvm

    entry = entry_of("def inner(x): return x")
    before = digest_of(entry, RECORDS)
    monkeypatch.setattr(llvm, name, lambda: "other")
    meaning.toolchain.cache_clear()
    after = digest_of(entry, RECORDS)
    monkeypatch.undo()
    meaning.toolchain.cache_clear()
    assert after != before


def test_slots_are_in_the_key():
    """Also those that a kernel asks for with getattr."""
    moved = Layout("test", [("n", "size"), ("x", "f8")])
    records = ((moved, 0, True), (moved, 1, False))
    for source in ("def inner(x): return x", 'def inner(x): return getattr(x, "n")'):
        entry = entry_of(source)
        assert digest_of(entry, records) != digest_of(entry, RECORDS)


@pytest.mark.skipif(kernel.interpreted(), reason="nothing is compiled")
def test_what_is_set_anew_counts_from_the_next_compiling():
    entry = entry_of("C = 2.0\ndef inner(x, k=1.0): return x * C * k")
    scope = entry.__globals__
    entry.is_hook = True  # a user's: what it names may change
    found = [run(entry)]
    scope["C"] = 3.0
    found.append(run(entry))
    scope["inner"].__defaults__ = (10.0,)
    found.append(run(entry))
    scope["inner"] = scope["two"]
    found.append(run(entry))
    scope["C"] = 2.0
    assert found == [3.0, 4.5, 45.0, 3.5]


SMALL = """
from mjenv.engine.simd.kernel import kernel
from mjenv.engine.simd.record import Layout
LAYOUT = Layout("small", [("x", "f8")])
RECORDS = ((LAYOUT, 0, True), (LAYOUT, 1, False))
"""
PREPARE = """
import sys, warnings, numpy as np, small
from mjenv.engine.simd import kernel, missing
from mjenv.engine.simd.record import Record
missing.available = lambda: 2
compiled, real = [], missing.compiled
missing.compiled = lambda f, r: (compiled.append(f.__name__), real(f, r))[1]
entries = [(getattr(small, f"add{k}"), *small.RECORDS) for k in range(6)]
kernel.prepare(entries)
for k, entry in enumerate(entries):
    m, d = Record(small.LAYOUT), Record(small.LAYOUT)
    d.set_array("x", np.array([0.5]))
    kernel.callable_at(kernel.address(*entry), 2)(m.address, d.address)
    assert d.arrays["x"][0] == k + 0.5, (k, d.arrays["x"])
kernel.prepare(entries)
print(len(compiled), len(set(compiled)))
"""


def prepare_in(folder, tmp_path):
    """What a process that needs six entries compiles itself, twice each, and its messages."""
    functions = (f"@kernel\ndef add{k}(m, d):\n    d.x[0] = d.x[0] + {k}.0\n" for k in range(6))
    (tmp_path / "small.py").write_text(SMALL + "\n".join(functions))
    environment = {**os.environ, "MJENV_CACHE_DIR": str(folder), "MJENV_QUIET": "1"}
    path = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
    found = subprocess.run(
        [sys.executable, "-c", path + PREPARE], capture_output=True, text=True, env=environment
    )
    assert found.returncode == 0, found.stderr
    return tuple(map(int, found.stdout.split())), found.stderr


@pytest.mark.slow
@pytest.mark.skipif(kernel.interpreted(), reason="nothing is compiled")
def test_where_nothing_can_be_stored_two_processes_share_the_work(tmp_path):
    (tmp_path / "file").write_text("")
    (count, different), errors = prepare_in(tmp_path / "file" / "cache", tmp_path)
    assert count == different == 0  # other processes have handed back what they compiled
    assert errors.count("cannot store compiled code") == 1


@pytest.mark.slow
@pytest.mark.skipif(kernel.interpreted(), reason="nothing is compiled")
def test_damaged_files_are_compiled_again_and_replaced(tmp_path):
    folder = tmp_path / "cache"
    prepare_in(folder, tmp_path)
    files = sorted(folder.glob("*.o"))
    whole = [file.read_bytes() for file in files]
    assert len(files) == 6
    files[0].write_bytes(b"")
    files[1].write_bytes(whole[1][:100])
    files[2].write_bytes(whole[3])
    (count, _), errors = prepare_in(folder, tmp_path)
    assert count == 3
    assert not errors
    assert all(cache.read(file) for file in files)
    assert sorted(folder.iterdir()) == files


@pytest.mark.slow
def test_loading_needs_no_compiler():
    """What is in the cache is linked without numba."""
    code = (
        "import sys, mjenv\n"
        "xml = '<mujoco><worldbody><body><joint/><geom size=\".1\"/></body></worldbody></mujoco>'\n"
        "model = mjenv.Model.from_xml_string(xml)\n"
        "mjenv.step(model, mjenv.Data(model, keep=[]))\n"
        "print('numba' in sys.modules)\n"
    )
    for expected in (None, "False"):
        out = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        assert expected in (None, out.stdout.strip())


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no owners here")
@pytest.mark.parametrize("place", ["folder", "file"])
def test_code_that_others_can_change_is_warned_of_once(place, tmp_path, recwarn):
    folder = tmp_path / place
    file = folder / "stage.o"
    cache.store(file, b"code")
    (folder if place == "folder" else file).chmod(0o777)
    for _ in range(2):
        assert cache.read(file) == b"code"
    (warning,) = recwarn
    where = folder if place == "folder" else file
    assert re.match(
        rf"mjenv: {re.escape(str(where))}: found user \d+ and mode 777, expected compiled code "
        r"that nobody else can change, because it is run; set MJENV_CACHE_DIR",
        str(warning.message),
    )


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no owners here")
def test_code_of_another_user_is_warned_of(tmp_path, monkeypatch):
    cache.store(tmp_path / "stage.o", b"code")
    monkeypatch.setattr(os, "getuid", lambda: os.stat(tmp_path).st_uid + 1)
    if os.stat(tmp_path).st_uid == 0:
        os.chown(tmp_path, 12345, -1)
    with pytest.warns(RuntimeWarning, match="found user"):
        cache.read(tmp_path / "stage.o")
