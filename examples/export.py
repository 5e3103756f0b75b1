"""Export a model as a program that runs without this package.

    python examples/export.py --output smollm2.pt2

`torch.export.load("smollm2.pt2").module()(tokens)` gives the logits of texts of any
length, on a machine that has PyTorch and nothing else.
"""

from argparse import ArgumentParser
from pathlib import Path

import torch
from torch import nn
from torch.export import Dim, ExportedProgram

from transformer import zoo


def export(model: nn.Module, *, longest: int) -> ExportedProgram:
    """Return the program of a decoder-only model, for any batch and length.

    Args:
        model: What is exported.
        longest: The longest text that the program is to take.
    """
    tokens = torch.zeros(2, 8, dtype=torch.long)
    sizes = {0: Dim("batch", max=64), 1: Dim("time", min=2, max=longest)}
    return torch.export.export(model.eval(), (tokens,), dynamic_shapes=(sizes,))


def main() -> None:
    """Read the flags, export, and compare what was written with the model."""
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--output", type=Path, default=Path("smollm2.pt2"))
    said = parser.parse_args()

    model, tokenizer = zoo.load("smollm2-135m")
    torch.export.save(export(model, longest=2048), said.output)
    again = torch.export.load(said.output).module()
    tokens = torch.tensor([tokenizer.encode("A program that runs anywhere")])
    with torch.no_grad():
        difference = (again(tokens) - model(tokens)).abs().max()
    print(
        f"{said.output}: {said.output.stat().st_size / 1e6:.0f} MB, largest difference"
    )
    print(f"of the logits {difference:.1e}")


if __name__ == "__main__":
    main()
