"""LoRA: learn two small matrices beside each query and value projection.

    python examples/lora.py book.txt --steps 50 --output runs/lora

The large matrices stay as they are; less than a hundredth of the parameters learns. The
small ones are saved alone, for `python -m transformer write --adapter`. At the end they
are added to the large ones, so that the model has its own parts again and can be saved
whole.

Source: Hu et al. (2022), section 4.1, equation (3).
"""

from argparse import ArgumentParser
from pathlib import Path

from fine_tune import cut, fine_tune

from transformer import count_parameters, generate, zoo
from transformer.training import (
    attach_adapter,
    list_adapter,
    merge_adapter,
    save_adapter,
)


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
    attach_adapter(model, rank=said.rank)
    learning = sum(part.parameters for part in list_adapter(model))
    print(f"{learning:,} of {whole:,} parameters learn")
    text = said.text.read_text(encoding="utf-8")
    batches = cut(tokenizer.encode(text), length=129, rows=4)
    losses = fine_tune(model, batches, steps=said.steps, rate=said.rate)
    print(f"loss {losses[0]:.3f} at first, {losses[-1]:.3f} at last")
    save_adapter(model, Path(said.output) / "adapter")
    merge_adapter(model)
    print(generate(model, text[:60], tokenizer=tokenizer, temperature=0.7, seed=0))
    model.save(said.output, tokenizer=tokenizer)


if __name__ == "__main__":
    main()
