"""Export a model as a program that runs without this package.

    python examples/export.py --output smollm2.pt2
    python examples/export.py --output smollm2.onnx

`torch.export.load("smollm2.pt2").module()(tokens)` gives the logits of texts of any
length, on a machine that has PyTorch and nothing else; the other file is for ONNX
Runtime (`pip install onnx onnxscript onnxruntime`).
"""

from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor, nn
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
    model.eval().requires_grad_(False)  # a program to use, not to train
    return torch.export.export(model, (tokens,), dynamic_shapes=(sizes,))


def write(program: ExportedProgram, file: Path) -> Callable[[Tensor], Tensor]:
    """Write a program to a file, and return what is read from there.

    Args:
        program: What is written.
        file: Where to; `.onnx` at its end asks for ONNX.
    """
    if file.suffix != ".onnx":
        torch.export.save(program, file)
        return torch.export.load(file).module()

    from onnxruntime import InferenceSession

    torch.onnx.export(program, (), file, verbose=False)
    session = InferenceSession(file)
    [given] = session.get_inputs()
    return lambda x: torch.from_numpy(session.run(None, {given.name: x.numpy()})[0])


def main() -> None:
    """Read the flags, export, and compare what was written with the model."""
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--output", type=Path, default=Path("smollm2.pt2"))
    said = parser.parse_args()

    model, tokenizer = zoo.load("smollm2-135m")
    again = write(export(model, longest=2048), said.output)
    tokens = torch.tensor([tokenizer.encode("A program that runs anywhere")])
    with torch.no_grad():
        difference = (again(tokens) - model(tokens)).abs().max()
    print(
        f"{said.output}: {said.output.stat().st_size / 1e6:.0f} MB, largest difference"
    )
    print(f"of the logits {difference:.1e}")


if __name__ == "__main__":
    main()
