"""What a head is worth to the translator is what was measured."""

import pytest
import torch
from torch.testing import assert_close

from bookkit.checking.facts import facts
from chapters.laboratory.translator import numbers
from chapters.live import heads, pack, told, twins
from transformer.data import BOS_ID, EOS_ID, Pair

COUNT = 100  # numbers that a test translates without each head
SILENT = """
  const silent = new Set([given.head]), memory = encode(
    model, read(model, given.text).ids, { silent });
  const state = begin(model, memory);
  return given.ids.map((id) => Array.from(step(model, state, id, { silent })));"""


@pytest.fixture(scope="module")
def model():
    return pack.load(pack.read_weights())


@pytest.fixture(scope="module")
def measured():
    return {row["head"]: row["right"] for row in heads.MEASUREMENTS.read()}


def test_each_of_24_heads_was_measured(measured):
    assert list(measured) == heads.all_heads()
    assert len(measured) == 24


@torch.no_grad()
def test_a_head_is_switched_off_as_by_the_engine(run, model):
    rest = told.read()["rest"]
    source = [*numbers().tokenizer.encode(rest["text"]), EOS_ID]
    target = [BOS_ID, *(word["id"] for word in rest["words"][:-1])]
    asked = [
        {"head": head, "text": rest["text"], "ids": target}
        for head in heads.all_heads()
    ]
    for given, found in zip(asked, run(asked, SILENT), strict=True):
        with heads.switched_off(model, given["head"]):
            logits = model(torch.tensor([source]), torch.tensor([target]))[0]
        assert_close(torch.tensor(found), logits, rtol=0, atol=1e-4)


@torch.no_grad()
def test_a_head_is_on_again_afterwards_also_after_an_error(model):
    ids = torch.tensor([[5, EOS_ID]]), torch.tensor([[BOS_ID]])
    before = model(*ids)
    with heads.switched_off(model, heads.TRIED):
        assert not torch.equal(model(*ids), before)
    asked = pytest.raises(ValueError, match="token ids must lie")
    with asked, heads.switched_off(model, heads.TRIED):
        model(torch.tensor([[10_000]]), ids[1])
    assert torch.equal(model(*ids), before)


@facts("head", heads.all_heads())
def test_the_shares_are_those_of_today(model, measured, head):
    today = heads.share_right(model, head, count=COUNT)
    # 100 of the 1,000: three standard errors of a share, and a number for rounding.
    share = measured[head]
    error = 3 * (share * (1 - share) / COUNT) ** 0.5 + 1 / COUNT
    assert today == pytest.approx(share, abs=error)


def test_only_the_heads_of_one_attention_are_needed(measured):
    needed = {h: s for h, s in measured.items() if h.startswith(heads.NEEDED)}
    others = [share for head, share in measured.items() if head not in needed]
    assert max(needed.values()) < 0.975 < 0.98 <= min(others)
    assert len(needed) == 4
    assert heads.TRIED in needed


def test_what_is_told_of_the_heads_is_what_they_do(model):
    marked = told.read()["marked"]
    with heads.switched_off(model, marked["head"]):
        [broken] = twins.translations(model, [Pair(told.TEXT, "")])
    assert broken == "quatre-vingts"
    assert f"in “{told.TEXT}”" in marked["told"]
    assert f"Without it comes “{broken}”" in marked["told"]
    assert marked == told.of_heads()
