"""Without a home folder, importing a chapter says nothing and leaves nothing."""

import os
import subprocess
import sys

ASK = "import chapters.start, matplotlib as m; print(m.get_configdir())"


def run(tmp_path, **changes):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("MPL", "XDG"))}
    done = subprocess.run(
        [sys.executable, "-c", ASK],
        env=kept | {"TMPDIR": str(tmp_path)} | changes,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.strip()


def test_where_there_is_no_home_nothing_warns_and_nothing_is_left(tmp_path):
    assert run(tmp_path, HOME=f"{os.devnull}/home").startswith(str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_a_home_and_a_folder_that_was_named_are_used(tmp_path):
    home, named = tmp_path / "home", tmp_path / "named"
    home.mkdir()
    assert run(tmp_path, HOME=str(home)).startswith(str(home))
    named_there = run(tmp_path, HOME=f"{os.devnull}/home", MPLCONFIGDIR=str(named))
    assert named_there == str(named)
