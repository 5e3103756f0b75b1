"""The engine computes in Chromium what PyTorch computes, layer by layer."""

import re

import pytest
import torch
from torch.testing import assert_close

from bookkit.checking.facts import facts
from chapters.laboratory.translator import numbers
from chapters.live import pack, twins
from transformer.data import BOS_ID, EOS_ID

CLOSE = {"rtol": 0, "atol": 1e-4}  # the engine keeps float32, PyTorch float64 here
COUNTS = {None: 300} | dict.fromkeys(twins.TWINS, 100)  # numbers for each model
LAYER = r"embedding|(en|de)coder\.layers\.\d"
LAYERS = """([twin, asked]) => {
  const { unpack, encode, begin, step } = bookTransformer;
  const model = unpack(twin ? bookTwins[twin] : bookTranslator);
  const plain = (rows) => rows.map((row) => Array.from(row));
  return asked.map(({ source, target }) => {
    const noted = {};
    const note = (name, rows) => {
      const again = model.config.causal_mask === false && name !== "logits";
      const first = again || name.startsWith("encoder") ? [] : noted[name] ?? [];
      noted[name] = [...first, ...plain(rows)];
    };
    const state = begin(model, encode(model, source, { note }));
    target.forEach((id) => step(model, state, id, { note }));
    return noted;
  });
}"""


@pytest.fixture
def page(show_alone):
    """Return an empty page that has the engine, and the numbers of every model."""
    page = show_alone("")
    weights = [pack.WEIGHTS, *map(twins.path, twins.TWINS)]
    for script in (pack.WEIGHTS.with_name("transformer.js"), *weights):
        page.add_script_tag(path=script)
    return page


def asked_of_one_size(count):
    """Put numbers and their translations into groups that need no padding."""
    task, groups = numbers(), {}
    for source, target in task.splits.test[:count]:
        given = {
            "source": [*task.tokenizer.encode(source), EOS_ID],
            "target": [BOS_ID, *task.tokenizer.encode(target)],
        }
        size = len(given["source"]), len(given["target"])
        groups.setdefault(size, []).append(given)
    return list(groups.values())


def computed(model, group):
    """Return what each layer of PyTorch hands on, and the logits of each step."""
    noted = {}

    def note(name):
        def keep(_, inputs, output):
            if name != "embedding" or name not in noted:  # that of the source
                noted[name] = output

        return keep

    hooks = [
        module.register_forward_hook(note(name))
        for name, module in model.named_modules()
        if re.fullmatch(LAYER, name)
    ]
    source, target = (
        torch.tensor([given[side] for given in group]) for side in ("source", "target")
    )
    memory = model.encode(source)
    logits = [
        model.decode(target[:, :length], memory)[:, -1]
        for length in range(1, target.size(1) + 1)
    ]
    for hook in hooks:
        hook.remove()
    return noted | {"logits": torch.stack(logits, dim=1)}


@facts("twin, count", COUNTS.items())
@torch.no_grad()
def test_every_layer_says_in_chromium_what_it_says_in_pytorch(page, twin, count):
    model = twins.load(twin) if twin else pack.load(pack.read_weights())
    model, compared = model.double(), 0
    for group in asked_of_one_size(count):
        expected = computed(model, group)
        assert len(expected) == 6  # embedding, four layers, logits
        found = page.evaluate(LAYERS, [twin, group])
        assert all(set(each) == set(expected) for each in found)
        for name, rows in expected.items():
            said = torch.tensor([each[name] for each in found], dtype=torch.float64)
            assert_close(said, rows, **CLOSE)
        compared += len(found)
    assert compared == count
    assert page.complaints == []
