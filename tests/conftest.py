"""What all tests share."""

import gc
import os
import pickle
import re
import tomllib
from contextlib import contextmanager
from functools import cache, wraps
from inspect import isclass, isgeneratorfunction
from pathlib import Path

import jaxtyping
import pytest
import torch
from beartype import BeartypeConf, beartype
from hypothesis import settings
from torch.utils._python_dispatch import TorchDispatchMode

from bookkit.checking.facts import NIGHT

# A test never fails on a time, and tensors as small as here are slower on two threads,
# also in what a test starts.
settings.register_profile("untimed", deadline=None, max_examples=100 if NIGHT else 25)
settings.load_profile("untimed")
torch.set_num_threads(1)
# What is imported and collected stays to the end: to search it for garbage again and
# again takes longer than to import it.
gc.disable()
os.environ["OMP_NUM_THREADS"] = "1"
_of_jaxtyping = jaxtyping.jaxtyped
_typed = beartype(conf=BeartypeConf(violation_type=jaxtyping.TypeCheckError))
_calls = {}  # of each function in the present test


def _is_checked(target):
    """Whether the types of this call of a function are checked."""
    count = _calls[target] = _calls.get(target, 0) + 1
    if jaxtyping.config.jaxtyping_disable:
        return False
    return NIGHT or count <= 8 or not count & (count - 1)


def _jaxtyped(target, *, typechecker):
    """Check the types of a function's arguments and result, as the hook asks.

    In each test the first eight calls are checked, then the sixteenth, the
    thirty-second and so on; at night every one. The check of an array takes longer
    than much of what is tested; so do the words that jaxtyping itself prepares for an
    error, binding the arguments of each call twice.
    """
    if isclass(target) or isgeneratorfunction(target):
        return _of_jaxtyping(target, typechecker=typechecker)
    if not target.__annotations__ or "<locals>" in target.__qualname__:
        return target
    checks = cache(lambda: _typed(target))  # made where it is called

    @wraps(target)
    def called(*args, **kwargs):
        if not _is_checked(target):
            return target(*args, **kwargs)
        with _of_jaxtyping("context"):  # in which an axis has one size
            return checks()(*args, **kwargs)

    return called


jaxtyping.jaxtyped = lambda **checker: lambda target: _jaxtyped(target, **checker)

TESTS = Path(__file__).parent
# Files and tests that `make test` leaves to `make everything`, by the reason.
RINGS = tomllib.loads((TESTS / "rings.toml").read_text("utf-8"))
NIGHTLY = {name for names in RINGS.values() for name in names}


@pytest.hookimpl(tryfirst=True)  # before pytest selects by marks
def pytest_collection_modifyitems(config, items):
    """Mark what is for the night, and leave aside what cannot run here.

    What is compiled is left to `test_compiled.py`: the type checks of the tests are
    Python code around each function, which a compiler cannot follow. Pictures are left
    to the pinned Matplotlib.
    """
    for item in items:
        file, _, test = item.nodeid.partition("::")
        if file in NIGHTLY or f"{file}::{test.partition('[')[0]}" in NIGHTLY:
            item.add_marker(pytest.mark.nightly)
    if config.getoption("jaxtyping_packages"):
        compiled = [item for item in items if item.get_closest_marker("compiled")]
        config.hook.pytest_deselected(items=compiled)
        items[:] = [item for item in items if item not in compiled]
    if config.getoption("texts_only", False):
        for item in items:
            if item.get_closest_marker("pictures"):
                item.add_marker(pytest.mark.skip(reason="needs the pinned Matplotlib"))


def pytest_collection_finish():
    """Search for garbage from here on, among what the tests make."""
    gc.collect()  # once, so that what was left open is told of
    gc.freeze()
    gc.enable()


@pytest.fixture(autouse=True)
def _seeded(request):
    """Every test draws the same numbers and compiles afresh, whatever ran before."""

    def begin():
        _calls.clear()
        if torch.cuda.is_initialized():
            torch.manual_seed(0)
        else:  # for devices that nobody uses, it would note its callers each time
            torch.default_generator.manual_seed(0)
        if request.node.get_closest_marker("compiled"):
            torch.compiler.reset()

    begin()
    return begin  # for each fact of a test that has several


class _Draws(TorchDispatchMode):
    """Notes the operations that draw random numbers, on any device."""

    def __init__(self):
        super().__init__()
        self.noted = []

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        if torch.Tag.nondeterministic_seeded in operation.tags:
            self.noted.append(operation.name())
        return operation(*args, **(kwargs or {}))


@pytest.fixture
def draws_nothing():
    """Check that a block draws no random numbers: its `with` says from where on."""

    @contextmanager
    def check():
        before = torch.get_rng_state()
        with _Draws() as draws:
            yield
        assert not draws.noted
        assert torch.equal(torch.get_rng_state(), before)

    return check


@pytest.fixture
def refuses():
    """Check that a call is refused, and that the error says what it must.

    Of its sentence ask for the name of what was wrong, what came, and the key word of
    the remedy: each of `words` is a regular expression that is found in it and begins
    with a word; one of letters, digits and dots alone is a whole word.
    The test-time type checks are off meanwhile, to see the package's own errors.
    """

    def check(call, error, *words):
        assert words, "say which words the error must hold"
        jaxtyping.config.update("jaxtyping_disable", True)
        try:
            with pytest.raises(error) as caught:
                call()
        finally:
            jaxtyping.config.update("jaxtyping_disable", False)
        said = str(caught.value)
        for word in words:
            end = r"(?!\w)" if re.fullmatch(r"[\w.]+", word) else ""
            assert re.search(rf"(?<!\w)(?:{word}){end}", said), (word, said)
        # A sentence, or a command to run; a list may stand in it, a report follow.
        ends = r"\.$|; run: [^;\n]+$"
        assert re.search(ends, said, re.MULTILINE)
        assert not re.search(r"\b[A-Z_]{2,} [A-Z_]{2,}\b", said)  # nothing is shouted

    return check


class _Malice:
    """What runs a command as soon as it is unpickled."""

    def __init__(self, trace):
        self.trace = trace

    def __reduce__(self):
        return os.mkdir, (str(self.trace),)


@pytest.fixture
def malicious_pickle(tmp_path):
    """The bytes of a pickle that runs code, and the folder that this code makes."""
    trace = tmp_path / "trace"
    content = pickle.dumps(_Malice(trace))
    pickle.loads(content)  # it does what it should not
    trace.rmdir()
    return content, trace
