"""A door checks whoever comes from outside, once; behind it nothing is checked."""

import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import nn

import transformer
from bookkit.checking.facts import facts
from transformer.checks.doors import door, doors, each, handed_in, optional
from transformer.checks.values import check_even, check_size
from transformer.config import TransformerConfig
from transformer.layers import (
    LayerNorm,
    MultiHeadAttention,
    ResidualConnection,
)
from transformer.models import Transformer

CONFIG = TransformerConfig(
    vocab_size=13, max_len=11, d_model=6, d_ff=5, num_heads=2, pad_id=0
)


def positive(x):
    """A check: the tensor must be positive."""
    if (x <= 0).any():
        raise ValueError("x must be positive, got less.")


@door(positive)
def root(x):
    return x.sqrt()


@doors(init=lambda size: check_small(size), forward=positive, halved=positive)
class Root(nn.Module):
    def __init__(self, size=3):
        super().__init__()
        self.size = size

    def forward(self, x):
        return root(x)

    def halved(self, x):
        return self(x) / 2


def check_small(size):
    """A check: the size must be small."""
    if size > 7:
        raise ValueError(f"size must be at most 7, got {size}.")


@doors(forward=lambda x: None)
class Debt(nn.Module):
    """What gives its parts something that they would refuse from outside."""

    def __init__(self, part):
        super().__init__()
        self.part = part

    def forward(self, x):
        return self.part(-x)


def refused(call, *arguments):
    with pytest.raises(ValueError, match="x must be positive"):
        call(*arguments)
    return True


GOOD, BAD = torch.full((2,), 4.0), torch.full((2,), -4.0)


@facts("call", [root, Root(), Root().halved], ids=["function", "module", "method"])
def test_a_call_from_outside_is_checked(call):
    assert (call(GOOD) > 0).all()
    assert refused(call, BAD)


@facts("part", [root, Root(), Root().halved], ids=["function", "module", "method"])
def test_behind_a_door_nothing_is_checked(part):
    assert Debt(part)(GOOD).isnan().all()


def test_after_a_call_the_door_is_closed_again():
    Debt(root)(GOOD)
    assert refused(root, BAD)
    with pytest.raises(RuntimeError, match="no such thing"):
        Debt(fail)(GOOD)
    assert refused(root, BAD)


def fail(x):
    """A part with which PyTorch is not content, whatever it is given."""
    raise RuntimeError("no such thing")


def test_what_nobody_can_explain_is_raised_as_it_came():
    with pytest.raises(RuntimeError, match="no such thing") as caught:
        Debt(fail)(GOOD)
    assert caught.value.__context__ is None or "no such" in str(caught.value)


def test_another_thread_is_still_checked():
    found = []

    def meanwhile(x):
        thread = threading.Thread(target=lambda: found.append(refused(root, BAD)))
        thread.start()
        thread.join()
        return x

    Debt(meanwhile)(GOOD)
    assert found == [True]


def test_a_constructor_checks_wherever_it_is_called():
    assert Root(7).size == Root(size=7).size == 7
    with pytest.raises(ValueError, match="size must be at most 7, got 8"):
        Debt(lambda x: Root(8)(x))(GOOD)


def test_a_door_leaves_what_a_module_shows_of_itself():
    @doors(init=each(size=check_size))
    class Named(nn.Module):
        def __init__(self, size):
            super().__init__()

        def extra_repr(self):
            return "a name"

    assert repr(Named(3)) == "Named(a name)"


@door(each(pairs=optional(check_even), size=check_size))
def area(size, *, pairs=None, unit="a word"):
    return size * (pairs or 1)


def test_arguments_may_be_checked_one_by_one():
    assert area(3) == 3
    assert area(size=3, pairs=4) == 12
    with pytest.raises(ValueError, match=r"^size must be at least 1, got 0"):
        area(0, pairs=4)
    with pytest.raises(ValueError, match=r"^pairs must be even.* got 5"):
        area(0, pairs=5)  # in the order of the checks


def test_a_check_may_replace_arguments():
    doubled = door(lambda x: {"x": 2 * x})(lambda x, *, y=1: x + y)
    assert doubled(torch.ones(())) == 3
    assert doubled(x=torch.ones(()), y=2) == 4


def test_a_check_that_stands_below_is_found_at_the_first_call_and_once():
    found = []

    @doors(init=lambda: found.append("init") or below, forward=lambda: one_more)
    class Late(nn.Module):
        def __init__(self, size):
            super().__init__()

        def forward(self, size):
            return late(size)

    @door(lambda: found.append("door") or below)
    def late(size):
        return size

    def below(size):
        check_small(size)

    def one_more(self, size):
        assert isinstance(self, Late)
        return {"size": size + 1}

    assert found == []
    assert [late(3), late(size=5), Late(2)(2), Late(2)(5)] == [3, 5, 3, 6]
    assert found == ["door", "init"]
    for call in (late, Late):
        with pytest.raises(ValueError, match=r"size must be at most 7, got 8"):
            call(8)
    assert found == ["door", "init"]


def test_what_is_handed_in_is_checked_as_from_outside():
    assert Debt(root)(GOOD).isnan().all()
    assert refused(Debt(handed_in(root)), GOOD)
    assert Debt(lambda x: handed_in(abs)(x).sqrt() + root(x))(GOOD).isnan().all()


def test_a_mask_of_another_rank_is_refused_in_a_sublayer_too():
    attention, residual = (
        MultiHeadAttention(6, 2),
        ResidualConnection(LayerNorm(6), placement="pre"),
    )
    mask = torch.ones(2, 5, 5).bool()  # it would be taken for one mask a head
    with pytest.raises(ValueError, match=r"^mask must have the axes \(target, source"):
        residual(torch.ones(2, 5, 6), lambda x: attention(x, x, x, mask=mask).values)


def test_a_subclass_with_a_forward_of_its_own_has_no_door():
    class Other(Root):
        def forward(self, x, times):
            return x * times

    assert (Other()(BAD, 2) == -8).all()


def test_hooks_see_the_arguments_as_they_were_given():
    module, seen = Root(), []
    module.register_forward_pre_hook(
        lambda _, args, kwargs: seen.append((len(args), list(kwargs))),
        with_kwargs=True,
    )
    module(GOOD)
    module(x=GOOD)
    assert seen == [(1, []), (0, ["x"])]


def checks_inside(call):
    """Count the calls of check functions before the first forward pass, and later."""
    folder = str(Path(transformer.__file__).parent)
    counts, forwards = {"before": 0, "behind": 0}, []

    def watch(frame, event, _):
        name, file = frame.f_code.co_name, frame.f_code.co_filename
        if event == "call" and name == "forward" and file.startswith(folder):
            forwards.append(name)
        if event == "call" and file.startswith(folder) and name.startswith("check_"):
            counts["behind" if forwards else "before"] += 1

    sys.setprofile(watch)
    try:
        call()
    finally:
        sys.setprofile(None)
    return counts


@facts("layers", [1, 3])
def test_a_model_checks_at_its_door_and_nowhere_else(layers):
    sizes = {"num_encoder_layers": layers, "num_decoder_layers": layers}
    model = Transformer(replace(CONFIG, **sizes)).eval()
    tokens = torch.randint(1, 13, (2, 5))
    counts = checks_inside(lambda: model(tokens, tokens))
    assert counts["before"] > 0
    assert counts["behind"] == 0


@pytest.mark.compiled
def test_the_compiler_counts_each_function_for_itself():
    changes = [torch.sin, torch.cos, torch.exp]
    guarded = [door(positive)(lambda x, change=change: change(x)) for change in changes]
    x = torch.tensor([0.5, 2.0])
    torch._dynamo.reset()
    with torch._dynamo.config.patch(recompile_limit=1):
        for function, change in zip(guarded, changes, strict=True):
            compiled = torch.compile(function, backend="eager", fullgraph=True)
            assert torch.equal(compiled(x), change(x))
