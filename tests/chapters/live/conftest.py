"""What the tests of the engine share: it runs in Node, with the numbers of a model."""

import json
import re

import pytest
import torch

from chapters.laboratory.translator import numbers
from chapters.live import pack
from transformer.data import EOS_ID

PROGRAM = """\
"use strict";
{engine}
{weights}
const {{ BEGIN, unpack, encode, begin, step, search, sample, read, join, pieces }} =
  globalThis.bookTransformer;
const model = unpack(globalThis.{name});
const asked = {asked};
console.log(JSON.stringify(asked.map((given) => {{ {body} }})));
"""


@pytest.fixture(scope="module")
def run(run_script):
    """Run lines of JavaScript on each of some inputs, and return the results."""

    def call(asked, body, *, weights=pack.WEIGHTS, name="bookTranslator"):
        engine = pack.WEIGHTS.with_name("transformer.js")
        return run_script(
            PROGRAM.format(
                engine=engine.read_text("utf-8"),
                weights=weights.read_text("utf-8"),
                name=name,
                asked=json.dumps(asked),
                body=body,
            )
        )

    return call


@pytest.fixture(scope="session")
def layers():
    """Lines that return what each layer hands on, and the logits of each step."""
    return """
  const noted = {}, plain = (rows) => rows.map((row) => Array.from(row));
  const note = (name, rows) => {
    const anew = model.config.causal_mask === false && name !== "logits";
    const first = anew || name.startsWith("encoder") ? [] : noted[name] ?? [];
    noted[name] = [...first, ...plain(rows)];
  };
  const memory = encode(model, given.source, { note });
  const state = begin(model, memory);
  noted.memory = plain(memory);
  noted.returned = plain(given.target.map((id) => step(model, state, id, { note })));
  return noted;"""


@pytest.fixture(scope="session")
def task():
    return numbers()


@pytest.fixture(scope="session")
def pairs(task):
    return task.splits.test[:60]


@pytest.fixture(scope="session")
def ids(task):
    """Return the ids of a text with its end."""
    return lambda text: [*task.tokenizer.encode(text), EOS_ID]


@pytest.fixture(scope="session")
def of_one_size():
    """Put what was asked and found into groups that PyTorch can read without padding.

    Each group comes as a batch of sources, one of targets, and the list of what was
    found.
    """

    def call(asked, found):
        groups = {}
        for given, each in zip(asked, found, strict=True):
            size = len(given["source"]), len(given["target"])
            groups.setdefault(size, []).append((given, each))
        for group in groups.values():
            source, target = (
                torch.tensor([given[side] for given, _ in group])
                for side in ("source", "target")
            )
            yield source, target, [each for _, each in group]

    return call


@pytest.fixture
def note_layers():
    """Note what each layer of a model hands on, by its name, until the test ends."""
    hooks = []

    def call(model):
        noted = {}

        def note(name):
            def keep(_, inputs, output):
                noted[name] = output

            return keep

        for name, module in model.named_modules():
            if re.fullmatch(r"(en|de)coder\.layers\.\d", name):
                hooks.append(module.register_forward_hook(note(name)))
        return noted

    yield call
    for hook in hooks:
        hook.remove()
