"""The plugin checks shapes once, and leaves no thread for a fork to stumble over."""

import sys
from functools import cache
from types import SimpleNamespace

import pytest
from tqdm import tqdm

from bookkit.checking.mutants import checked


@pytest.fixture
def hooked(monkeypatch):
    """The packages whose hints are checked from now on."""
    packages = []
    monkeypatch.setattr(
        checked, "install_import_hook", lambda names, _: packages.extend(names)
    )
    monkeypatch.setattr(tqdm, "monitor_interval", 10)
    return packages


def test_hints_are_checked_unless_the_package_is_loaded(hooked, monkeypatch):
    monkeypatch.delitem(sys.modules, checked.PACKAGE, raising=False)
    checked.pytest_load_initial_conftests()
    assert hooked == ["transformer"]
    monkeypatch.setitem(sys.modules, checked.PACKAGE, SimpleNamespace())
    checked.pytest_load_initial_conftests()
    assert hooked == ["transformer"]


def test_what_a_function_keeps_is_forgotten(hooked, monkeypatch):
    computed = []
    kept = cache(computed.append)
    module = SimpleNamespace(kept=kept, other=len)
    monkeypatch.setitem(sys.modules, f"{checked.PACKAGE}.kept", module)
    kept(1)
    kept(1)
    assert computed == [1]
    checked.pytest_load_initial_conftests()
    kept(1)
    assert computed == [1, 1]


def test_no_thread_watches_a_bar(hooked):
    checked.pytest_load_initial_conftests()
    assert tqdm.monitor_interval == 0
