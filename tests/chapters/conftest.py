"""What the tests of chapters share: drawn figures, and answers of scripts in Node."""

import json

import jaxtyping
import pytest
from matplotlib import pyplot as plt

from chapters.shared.explorer import still
from chapters.shared.explorer.frame import read_scripts

SHARED = ("drag", "words", "ribbon", "points")  # what scripts may use
PROGRAM = """\
"use strict";
{scripts}
const questions = {questions};
const call = ([name, ...given]) => eval(name)(...given);
console.log(JSON.stringify(questions.map(call)));
"""


@pytest.fixture(scope="session")
def run_script():
    """Run a program in Node, and return what it writes as JSON."""
    return still.run_script


@pytest.fixture(scope="session")
def ask(run_script):
    """Call functions of a script: a question is a name and its arguments."""

    def call(chapter, *questions):
        return run_script(
            PROGRAM.format(
                scripts=read_scripts(chapter, *SHARED, stage=True) + still.PAGE,
                questions=json.dumps(questions),
            )
        )

    return call


@pytest.fixture
def untyped():
    """No types are checked, as on a page: an exercise counts what an answer calls."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)


@pytest.fixture
def drawn(monkeypatch):
    """Keep the figure that a call shows, and close it afterwards."""
    figures = []
    monkeypatch.setattr(plt, "show", lambda: figures.append(plt.gcf()))
    yield figures
    plt.close("all")


@pytest.fixture
def begin(request):
    """Draw the same random numbers again: to call it makes one fact like the next."""
    return request.getfixturevalue("_seeded")
