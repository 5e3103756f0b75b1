"""What comes in may be anything: how it is made, and what may come out.

The unit tests try a few cases, the same each time. `make fuzz` sets the variable FUZZ
and tries many others.
"""

import copy
import os
import re
import sys
from datetime import timedelta

import jaxtyping
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

MANY = bool(os.environ.get("FUZZ"))
ROOM = 3 * 2**30  # bytes that all cases of a test may ask for
HALT = timedelta(seconds=20)  # after which a case counts as endless
OWN = re.compile(r"\bmust\b|\bneeds?\b|, got |cannot be read")  # words of our errors
LONGEST = 5_000  # letters of an error
settings.register_profile(
    "fuzz",
    deadline=HALT if MANY else None,
    derandomize=not MANY,
    max_examples=2_000 if MANY else 10,
    database=None,
    print_blob=MANY,
    suppress_health_check=list(HealthCheck),
)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Leave many cases the time that they take."""
    for item in items:
        if MANY and "fuzz" in item.path.parts:
            item.add_marker(pytest.mark.timeout(3600), append=False)


@pytest.fixture(autouse=True)
def _as_a_reader():
    """Leave the type checks of the tests out: a reader meets the package's own."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)


@pytest.fixture(autouse=True)
def _little_room():
    """Refuse much memory, where the system can."""
    if not sys.platform.startswith("linux"):
        yield
        return
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm", encoding="ascii") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + ROOM, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.fixture(scope="session")
def answer():
    """Call something: a result, or an error of the package in one sentence."""

    def check(call, *errors):
        try:
            return call()
        except errors as error:
            said = str(error)
            assert OWN.search(said), said
            assert re.search(r"\.$|; run: [^;\n]+$", said, re.MULTILINE), said
            assert "allocate memory" not in said
            assert len(said) < LONGEST
            return None

    return check


KINDS = ("set", "insert", "count", "again", "cut")  # of changes of bytes
COUNTS = (0, 1, 2**31, 2**32, 2**62, 2**64 - 1)
NUMBERS = st.one_of(
    st.integers(-3, 9),
    st.sampled_from([2**31, 2**32, 2**62, 2**63 - 1, 2**63, 2**64, -(2**63), 10**400]),
    st.floats(),
    st.floats(0, 1),
)
PLAIN = st.one_of(NUMBERS, st.none(), st.booleans(), st.text(max_size=9))
ANYTHING = st.recursive(
    PLAIN,
    lambda x: st.lists(x, max_size=3) | st.dictionaries(st.text(max_size=5), x),
    max_leaves=5,
)


@pytest.fixture(scope="session")
def anything():
    """A strategy of all that JSON can hold."""
    return ANYTHING


@pytest.fixture(scope="session")
def change():
    """Change something somewhere inside a value of JSON."""

    def changed(data, value, others=ANYTHING):
        value = copy.deepcopy(value)
        held, last = value, None
        while isinstance(held, dict | list) and held:
            keys = sorted(held) if isinstance(held, dict) else range(len(held))
            place, last = held, data.draw(st.sampled_from(keys))
            held = held[last]
            if data.draw(st.integers(0, 3)) == 0:
                break
        if last is None:
            return data.draw(others)
        what = data.draw(st.sampled_from(["replace", "remove", "add"]))
        if what == "replace":
            place[last] = data.draw(others)
        elif what == "remove":
            del place[last]
        elif isinstance(place, dict):
            place[data.draw(st.text(max_size=9))] = data.draw(others)
        else:
            place.insert(0, data.draw(others))
        return value

    return changed


@pytest.fixture(scope="session")
def spoil():
    """Change some bytes."""

    def spoiled(data, content):
        content = bytearray(content)
        for _ in range(data.draw(st.integers(1, 4))):
            # What tells how the rest is to be read mostly stands in front.
            end = data.draw(st.sampled_from([64, 1024, len(content)]))
            place = data.draw(st.integers(0, min(end, len(content))))
            size = data.draw(st.integers(0, 16))
            kind = data.draw(
                st.sampled_from(["set", "insert", "count", "again", "cut"])
            )
            if kind == "set":
                content[place : place + 1] = data.draw(
                    st.binary(min_size=1, max_size=1)
                )
            elif kind == "insert":
                content[place:place] = data.draw(st.binary(max_size=9))
            elif kind == "count":
                number = data.draw(
                    st.sampled_from([0, 1, 2**31, 2**32, 2**62, 2**64 - 1])
                )
                content[place : place + 8] = number.to_bytes(8, "little")
            elif kind == "again":
                content[place:place] = content[place : place + size]
            else:
                del content[place : place + size * data.draw(st.sampled_from([1, 999]))]
        return bytes(content)

    return spoiled
