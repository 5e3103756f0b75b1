"""Tensors on the second device have the CPU's digits, and mix with no others."""

import copy

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from bookkit.checking.facts import facts
from bookkit.checking.second_device import SECOND, Remote, installed


@pytest.fixture
def second():
    """A second device for one test; what no device is named for is made on the CPU."""
    with installed():
        yield SECOND


@pytest.fixture
def numbers(second):
    """Six numbers on the second device."""
    return torch.arange(6.0, device=second).view(2, 3)


MAKERS = {
    "zeros": lambda **how: torch.zeros(2, 3, **how),
    "tensor": lambda **how: torch.tensor([1.0, 2.0], **how),
    "as_tensor": lambda **how: torch.as_tensor(np.ones(2), **how),
    "arange": lambda **how: torch.arange(5, **how),
    "randn": lambda **how: torch.randn(5, **how),
    "learned": lambda **how: torch.ones(2, requires_grad=True, **how),
}


@facts("make", MAKERS.values(), ids=[*MAKERS])
def test_a_tensor_is_made_where_it_is_asked_for(second, make):
    with torch.device(second):
        assert make().device == make(device="cuda").device == SECOND
        assert make(device="cpu").device.type == "cpu"
        assert make(device="meta").device.type == "meta"
        assert make().requires_grad == make(device="cpu").requires_grad
        assert make().is_leaf
    assert make().device.type == "cpu"


def test_a_tensor_that_is_there_goes_to_the_default_device(second):
    here = torch.ones(2)
    with torch.device(second):
        assert torch.as_tensor(here).device == SECOND
    assert here.device.type == "cpu"


LIKE = {
    "zeros_like": torch.zeros_like,
    "new_ones": lambda x: x.new_ones(2),
    "new_tensor": lambda x: x.new_tensor([1.0]),
    "sum": lambda x: x.sum(),
    "view": lambda x: x[0],
    "linear": lambda x: F.linear(x, x),
    "attention": lambda x: F.scaled_dot_product_attention(x, x, x, is_causal=True),
    "rank": torch.linalg.matrix_rank,
    "conjugate": lambda x: (torch.complex(x, x).conj() * 1j).imag,
    "double": lambda x: x.to(torch.float64),
}


@facts("found", LIKE.values(), ids=[*LIKE])
def test_what_comes_of_a_tensor_is_where_the_tensor_is(numbers, found):
    here, there = found(numbers.cpu()), found(numbers)
    assert (here.device.type, there.device) == ("cpu", SECOND)
    assert torch.equal(there.cpu(), here)
    assert there.dtype == here.dtype


MIXED = {
    "sum": lambda x, y: x + y,
    "sum, the other way": lambda x, y: y + x,
    "in place": lambda x, y: x.add_(y),
    "stack": lambda x, y: torch.stack([x, y]),
    "linear": F.linear,
    "named": lambda x, y: torch.where(condition=x > 0, input=x, other=y),
    "module": lambda x, y: nn.LayerNorm(3)(x),
    "many to one": lambda x, y: F.cross_entropy(x, y.argmax(-1)),
}


@facts("mix", MIXED.values(), ids=[*MIXED])
def test_two_devices_do_not_mix(numbers, mix):
    with pytest.raises(RuntimeError, match=r"on the same device, and \w+ got one of"):
        mix(numbers, numbers.cpu())


def test_a_view_changes_what_it_shows(numbers):
    numbers[0].mul_(2)
    numbers.T[0].add_(1)
    assert numbers.tolist() == [[1, 2, 4], [4, 4, 5]]


@facts("ask", [np.asarray, torch.Tensor.numpy], ids=["asarray", ""])
def test_numpy_gets_no_tensor_of_the_second_device(numbers, ask):
    with pytest.raises(TypeError, match=r"to numpy; call \.cpu\(\)$"):
        ask(numbers)
    assert ask(numbers.cpu()).sum() == 15


def test_gradients_pass_from_device_to_device():
    gradients = []
    for place in ("cpu", SECOND):
        with installed():
            x = torch.arange(3.0, requires_grad=True, device="cpu")
            y = x.to(place) * torch.arange(3.0, device=place)
            (y.cpu() * y.to("cpu")).sum().backward()
            gradients.append(x.grad)
    assert type(gradients[1]) is torch.Tensor
    assert torch.equal(*gradients)
    assert gradients[0].tolist() == [0, 2, 16]


@pytest.fixture
def tied():
    """Two layers with one matrix."""
    torch.manual_seed(0)
    layers = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.Linear(3, 3))
    layers[2].weight = layers[0].weight
    layers[0].bias.requires_grad_(False)
    return layers


def test_a_module_moves_with_all_it_holds(second, tied):
    x = torch.randn(5, 3)
    moved = copy.deepcopy(tied)
    for model in (tied, moved):
        model(x).sum().backward()
    moved.to(second)
    assert moved[2].weight is moved[0].weight
    for old, new in zip(tied.parameters(), moved.parameters(), strict=True):
        assert isinstance(new, nn.Parameter)
        assert new.device == SECOND
        assert new.requires_grad == old.requires_grad
        assert (new.grad is None) == (old.grad is None)
    assert all(held.device == SECOND for held in moved.buffers())
    optimizers = [torch.optim.Adam(m.parameters(), lr=0.1) for m in (tied, moved)]
    for model, optimizer in zip((tied, moved), optimizers, strict=True):
        optimizer.zero_grad()
        model(x.to(model[0].weight.device)).square().sum().backward()
        optimizer.step()
    for name, value in tied.state_dict().items():
        assert torch.equal(moved.state_dict()[name].cpu(), value)
    moved.load_state_dict(tied.state_dict())
    moved.cpu()
    assert not isinstance(moved[0].weight, Remote)


@facts("where", ["second", "cpu"])
def test_a_module_moves_to_where_a_tensor_is(second, tied, where):
    there = torch.ones(1, dtype=torch.float64).to(
        second if where == "second" else where
    )
    moved = copy.deepcopy(tied).to(second).to(there)
    for held in moved.parameters():
        assert (held.device, held.dtype) == (there.device, torch.float64)
