"""A chapter draws on the device the numbers that it draws on the CPU."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from bookkit.checking.facts import facts
from chapters.as_on_cpu import AsOnCPU

DRAWS = {
    "rand": lambda: torch.rand(3, 2),
    "randn": lambda: torch.randn((3, 2), dtype=torch.float64),
    "randint": lambda: torch.randint(7, (3, 2)),
    "randperm": lambda: torch.randperm(11),
    "own generator": lambda: torch.randn(5, generator=torch.Generator().manual_seed(3)),
    "learned": lambda: torch.randn(5, requires_grad=True),
    "like": lambda: torch.randn_like(torch.ones(3, 2)),
    "normal": lambda: torch.normal(torch.zeros(5), torch.ones(5)),
    "bernoulli": lambda: torch.bernoulli(torch.full((17,), 0.3)),
    "multinomial": lambda: torch.multinomial(torch.arange(1.0, 8.0), 5),
    "fill": lambda: torch.empty(3, 2).normal_(),
    "fill by rows": lambda: torch.empty(2, 3).T.uniform_(),
    "init": lambda: nn.init.normal_(torch.empty(3, 2), std=0.2),
    "truncated": lambda: nn.init.trunc_normal_(torch.empty(3, 2)),
    "Linear": lambda: nn.Linear(3, 2).weight,
    "bias": lambda: nn.Linear(3, 2).bias,
    "Embedding": lambda: nn.Embedding(5, 3).weight,
    "xavier": lambda: nn.init.xavier_uniform_(torch.empty(3, 2)),
    "dropout": lambda: F.dropout(torch.arange(31.0), 0.3),
    "Dropout": lambda: nn.Dropout(0.3)(torch.arange(31.0)),
    "dropout by columns": lambda: F.dropout(torch.ones(5, 7).T, 0.5),
    "noise": lambda: torch.normal(0.0, 1.0, (5,)),
}


def drawn(draw, device):
    torch.manual_seed(5)
    torch.rand(3, device="cpu")  # not the first numbers of the seed
    with torch.device(device):
        return draw()


@facts("draw", DRAWS.values(), ids=[*DRAWS])
def test_what_is_drawn_is_the_same_and_lives_on_the_device(draw, device):
    expected = drawn(draw, "cpu")
    with AsOnCPU():
        found = drawn(draw, device)
        after = torch.rand(3, device="cpu")
    assert found.requires_grad == expected.requires_grad
    assert found.is_leaf == expected.is_leaf
    assert found.dtype == expected.dtype
    if draw is not DRAWS["noise"]:  # which torch makes on the CPU, whatever is asked
        assert found.device.type == device.type
    # What is cut off is moved by functions that each device computes by itself.
    rtol = 1e-6 if draw is DRAWS["truncated"] else 0
    torch.testing.assert_close(found.cpu(), expected, rtol=rtol, atol=0)
    drawn(draw, "cpu")
    assert torch.equal(torch.rand(3, device="cpu"), after)


@facts("draw", DRAWS.values(), ids=[*DRAWS])
def test_the_shapes_on_the_meta_device_stay(draw):
    with AsOnCPU():
        found = drawn(draw, "meta")
    assert found.shape == drawn(draw, "cpu").shape


def test_gradients_pass_through_dropout(device):
    gradients = []
    for place in ("cpu", device):
        torch.manual_seed(1)
        x = torch.ones(37, requires_grad=True, device=place)
        with AsOnCPU():
            F.dropout(x, 0.4).sum().backward()
        gradients.append(x.grad.cpu())
    assert torch.equal(*gradients)
    assert 0 < (gradients[0] == 0).sum() < 37


def test_dropout_rests_at_inference(device):
    with AsOnCPU():
        assert torch.equal(F.dropout(torch.ones(9), training=False), torch.ones(9))


def test_numpy_gets_a_copy_on_the_cpu(device):
    x = torch.tensor([1.0, 2.0], device=device)
    with AsOnCPU():
        found = np.asarray(x), np.asarray([x[0], x[1]], dtype=float)
    assert [array.tolist() for array in found] == [[1.0, 2.0]] * 2
