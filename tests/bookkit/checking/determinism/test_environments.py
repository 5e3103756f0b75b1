"""An environment changes what it says, and its probe sees whether it does."""

import locale
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bookkit.checking.determinism.environments import (
    Environment,
    another_locale,
    environments,
)
from bookkit.checking.determinism.rounds import START
from bookkit.checking.facts import facts

ALL = environments()


def run(environment, variables, start=START):
    """Run what a kernel runs first, and the probe."""
    code = "\n".join((environment.startup, start, environment.probe))
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=variables, capture_output=True, text=True)
    assert done.stderr == ""
    return done.stdout


@facts("name", ALL)
def test_the_probe_holds_where_the_environment_is_in_effect(name, tmp_path):
    assert run(ALL[name], ALL[name].applied(tmp_path)) == "True\n"


ELSEWHERE = ["two-threads", "locale", "homeless"]


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    """What some probes say in one process in which nothing is changed."""
    bare = Environment("", "\n".join(ALL[name].probe for name in ELSEWHERE))
    home = str(tmp_path_factory.mktemp("home"))
    said = run(bare, {**os.environ, "HOME": home, "TZ": "UTC", "LC_ALL": "C"})
    return dict(zip(ELSEWHERE, said.splitlines(), strict=True))


@facts("name", ELSEWHERE)
def test_the_probe_does_not_hold_elsewhere(name, elsewhere):
    assert elsewhere[name] == "False"


def test_what_is_near_can_be_reached_without_a_network(tmp_path):
    near = (
        "import socket, urllib.request\n"
        "with socket.create_server(('127.0.0.1', 0)) as server:\n"
        "    print(bool(socket.create_connection(server.getsockname())))"
    )
    offline = Environment("", near, startup=ALL["offline"].startup)
    assert run(offline, dict(os.environ), start="") == "True\n"


def test_variables_are_set_removed_and_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("KEPT", "1")
    monkeypatch.setenv("REMOVED", "1")
    changed = Environment("", "", {"SET": "2", "REMOVED": None}).applied(tmp_path)
    assert (changed["KEPT"], changed["SET"]) == ("1", "2")
    assert "REMOVED" not in changed
    assert list(tmp_path.iterdir()) == []


def test_every_kernel_runs_first_what_an_environment_asks_for(tmp_path):
    changed = Environment("", "", startup="import this\n").applied(tmp_path)
    [file] = Path(changed["IPYTHONDIR"]).rglob("startup/*.py")
    assert file.read_text() == "import this\n"


def test_a_locale_is_one_of_this_machine_and_this_process_keeps_its_own():
    before = locale.setlocale(locale.LC_ALL)
    name = another_locale()
    assert locale.setlocale(locale.LC_ALL) == before
    assert f"the locale {name.split('.')[0]}," in ALL["locale"].words
