"""LoRA: learn two small matrices beside each query and value projection.

    python examples/lora.py book.txt --steps 50 --output runs/lora

The large matrices stay as they are; a thousandth of the parameters learns. At the end
the small ones are added to the large ones, so that the model has its own parts again
and can be saved.

Source: Hu et al. (2022), section 4.1, equation (3).
"""

from argparse import ArgumentParser
from pathlib import Path

import torch
from fine_tune import cut, fine_tune
from torch import Tensor, nn

from transformer import count_parameters, generate, zoo

ADAPTED = ("query_projection", "value_projection")


class LoRA(nn.Module):
    r"""Add to a linear map the product of two small ones.

    $$\mathbf{y} = \mathbf{x} W^\top + \frac{\alpha}{r}\, \mathbf{x} A^\top B^\top$$

    Args:
        linear: The map $W$, which does not learn any more.
        rank: The number $r$ of features between $A$ and $B$.
        alpha: The factor $\alpha$.
    """

    def __init__(self, linear: nn.Linear, *, rank: int = 8, alpha: float = 16.0):
        super().__init__()
        self.linear = linear.requires_grad_(False)
        self.down = nn.Linear(linear.in_features, rank, bias=False)
        self.up = nn.Linear(rank, linear.out_features, bias=False)
        nn.init.zeros_(self.up.weight)  # at first nothing is added
        self.scale = alpha / rank

    def forward(self, x: Tensor) -> Tensor:
        """Return what the large map says, changed by the small ones."""
        return self.linear(x) + self.scale * self.up(self.down(x))

    def merged(self) -> nn.Linear:
        """Return one map that does the same."""
        with torch.no_grad():
            self.linear.weight += self.scale * self.up.weight @ self.down.weight
        return self.linear


def adapt(model: nn.Module, **options: float) -> None:
    """Put small maps beside the projections, and let nothing else learn."""
    model.requires_grad_(False)
    for part in [*model.modules()]:
        for name in ADAPTED:
            if isinstance(getattr(part, name, None), nn.Linear):
                setattr(part, name, LoRA(getattr(part, name), **options))


def merge(model: nn.Module) -> None:
    """Add the small maps to the large ones, and let everything learn again."""
    for part in [*model.modules()]:
        for name in ADAPTED:
            if isinstance(getattr(part, name, None), LoRA):
                setattr(part, name, getattr(part, name).merged())
    model.requires_grad_(True)


def main() -> None:
    """Read the flags, adapt, learn, merge and save."""
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("text", type=Path)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--rank", type=int, default=8)
    parser.add_argument("--output", default="runs/lora")
    said = parser.parse_args()

    model, tokenizer = zoo.load("smollm2-135m")
    whole = count_parameters(model)
    adapt(model, rank=said.rank)
    learning = sum(x.numel() for x in model.parameters() if x.requires_grad)
    print(f"{learning:,} of {whole:,} parameters learn")
    text = said.text.read_text(encoding="utf-8")
    batches = cut(tokenizer.encode(text), length=129, rows=4)
    losses = fine_tune(model, batches, steps=said.steps, rate=said.rate)
    print(f"loss {losses[0]:.3f} at first, {losses[-1]:.3f} at last")
    merge(model)
    print(generate(model, text[:60], tokenizer=tokenizer, temperature=0.7, seed=0))
    model.save(said.output, tokenizer=tokenizer)


if __name__ == "__main__":
    main()
