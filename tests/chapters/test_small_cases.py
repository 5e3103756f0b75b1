"""A small case by hand is what the function of a right answer returns."""

import re
import runpy
from pathlib import Path

import pytest
import torch

from bookkit.book.files import find_root
from bookkit.book.notebooks import notebook_paths, read_notebook
from chapters.cost_and_scale.answers import REPORTS
from chapters.exercises import by_hand, exercises
from chapters.fields import fields
from chapters.readings import plain
from chapters.regions import numbers_of

pytestmark = pytest.mark.usefixtures("untyped")

FILES = sorted(Path(__file__).parent.glob("*/cases.py"))
RIGHT = [
    (label, answer[0])
    for path in FILES
    for label, answer in runpy.run_path(str(path))["RIGHT"]
    if label in by_hand() and callable(answer[0])
]
# What the text of each exercise hands to the function, once or more often.
CALLS = {
    "ex-cost-reports": REPORTS,
    "ex-damp-code": ((torch.ones(1), 4), (torch.ones(1), 100)),
    "ex-embeddings-gradient-code": (
        (torch.tensor([2, 0, 2]), torch.tensor([[1.0, 0], [0, 3], [4, 5]]), 3),
    ),
    "ex-encode-code": ((2, 4),),
    "ex-language-windows": ((7, 4, 2),),
    "ex-long-band": ((5, 2, 1),),
    "ex-long-place": tuple((token, 3, 2) for token in range(10)),
    "ex-manners-advantages": ((torch.tensor([[1.0, 0, 0, 0], [2, 2, 2, 2]]),),),
    "ex-manners-labels": (([5, 8, 3, 7, 4, 2, 2, 2], 3, 2),),
    "ex-mha-decoder-mask": ((torch.tensor([[0, 5, 7, 0]]), 0),),
    "ex-rms-partial": ((torch.tensor([[1.0, 7, 10, 20]]), 0.5),),
    "ex-rotary-layout-code": ((torch.arange(8.0)[:, None], 2),),
    "ex-seeing-cut": ((torch.arange(16.0).reshape(4, 4), 2),),
    "ex-window-mask": ((4, 1),),
    "ex-without-mask": ((torch.tensor([0.5, 0.25, 0, 0.5]),),),
    "ex-zoo-repeat": ((torch.arange(1.0, 5)[:, None], 4, 2),),
}


@pytest.mark.parametrize("label", by_hand())
def test_every_right_function_returns_the_small_case(label):
    parts = [part for part in fields()[label].parts if not isinstance(part, str)]
    functions = [function for name, function in RIGHT if name == label]
    assert functions
    for function in functions:
        results = [plain(function(*given)) for given in CALLS[label]]
        assert [*numbers_of(results)] == pytest.approx([*numbers_of(parts)], abs=1e-4)


def test_a_page_asks_by_hand_what_has_a_small_case():
    asked = set()
    for path in notebook_paths(find_root(Path(__file__))):
        for cell in read_notebook(path).cells:
            label = re.match(r'<a id="(ex-[a-z0-9-]+)"', cell.source)
            if label and "*By hand:*" in cell.source:
                asked.add(label[1])
    unlike = asked ^ {*by_hand()}
    assert not unlike, f"{unlike} must end in '*By hand:* …' and have a BY_HAND"
    assert {*by_hand()} <= {*exercises()}
