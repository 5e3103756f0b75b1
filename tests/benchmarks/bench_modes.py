"""Ways of calling a layer: forward, with gradients, or for inference."""

from collections.abc import Callable

import torch
from bench_case import Call
from torch import Tensor, nn

Run = Callable[[], tuple[Tensor, Tensor]]  # returns the output and the input
Side = tuple[nn.Module, Run]

TRAINING, INFERENCE = 1.00, 0.95  # the ratios aimed at


def forward(module: nn.Module, run: Run) -> Call:
    """Return a call that computes an output, and the graph for gradients."""

    def call() -> Tensor:
        return run()[0]

    module.train()
    return call


def inference(module: nn.Module, run: Run) -> Call:
    """Return a call that computes an output and nothing else."""

    def call() -> Tensor:
        module.eval()
        with torch.inference_mode():
            return run()[0]

    return call


def training(module: nn.Module, run: Run) -> Call:
    """Return a call that computes an output and all gradients."""

    def call() -> tuple[Tensor, Tensor]:
        module.train()
        module.zero_grad()
        output, x = run()
        x.grad = None
        output.backward(x.detach())  # any direction; that of a sum is lost in a norm
        return output, x.grad

    return call


# What is called, the ratio aimed at, and whether dropout is on. For inference PyTorch
# has a fast path; with dropout, much of the time goes into random numbers.
MODES = {
    "forward": (forward, TRAINING, False),
    "forward + backward": (training, TRAINING, False),
    "forward + backward, dropout": (training, TRAINING, True),
    "inference": (inference, INFERENCE, False),
}
