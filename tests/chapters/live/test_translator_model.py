"""What the translator tells of each word is what PyTorch says of the text so far."""

import json

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.live import pack
from transformer.data import BOS_ID
from transformer.models import attention_maps

SCRIPTS = ("transformer.js", "number_words.js", "translator_model.js")
LAST = "decoder.layers.1.cross_attention"
TEXT = "seven hundred and one"
CHOICES = [
    {"width": 1, "temperature": 0},
    {"width": 3, "temperature": 0},
    {"width": 1, "temperature": 1.5, "dice": [0.9, 0.3, 0.99, 0.5] * 6},
    {"width": 3, "temperature": 1.5, "dice": [0.9, 0.3, 0.99, 0.5] * 6},
]
PROGRAM = """\
"use strict";
{scripts}
const order = (all) => all.map((_, id) => id).sort((a, b) => all[b] - all[a]);
const choice = {{ silent: new Set(), forbidden: new Map(), ...{choice} }};
globalThis.bookModel(globalThis.bookTranslator, order)
  .then((model) => model.compute({text}, choice))
  .then((found) => console.log(JSON.stringify(found)));
"""


@pytest.fixture(scope="module")
def translate(run_script):
    """Translate a text in Node, as is chosen."""
    paths = [*(pack.WEIGHTS.with_name(name) for name in SCRIPTS), pack.WEIGHTS]
    scripts = "\n".join(path.read_text("utf-8") for path in paths)

    def call(text, choice):
        text, choice = json.dumps(text), json.dumps(choice)
        return run_script(PROGRAM.format(scripts=scripts, choice=choice, text=text))

    return call


@pytest.fixture(scope="module")
def model():
    return pack.load(pack.read_weights())


@facts("choice", CHOICES)
@torch.no_grad()
def test_each_word_has_its_chances_and_looks(translate, model, ids, choice):
    found = translate(TEXT, choice)
    words = found["words"]
    wrote = [word["id"] for word in words]
    source, target = torch.tensor([ids(TEXT)]), torch.tensor([[BOS_ID, *wrote[:-1]]])
    with attention_maps(model) as maps:
        logits = model(source, target)[0] / (choice["temperature"] or 1)
    looks = maps[LAST][0].mean(dim=0)
    for word, chances, mean in zip(words, logits.softmax(-1), looks, strict=True):
        assert word["chance"] == pytest.approx(chances[word["id"]].item(), abs=1e-4)
        likeliest = [chance for _, chance in word["likeliest"]]
        assert likeliest == pytest.approx(chances.topk(5).values.tolist(), abs=1e-4)
        assert word["looks"] == pytest.approx(mean.tolist(), abs=1e-4)
    assert set(found["maps"]) == set(maps)
    for name, heads in found["maps"].items():
        rows = len(wrote) if name.startswith("decoder") else source.shape[1]
        assert [len(head) for head in heads] == [rows] * 4
