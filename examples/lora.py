"""LoRA: learn two small matrices beside each query and value projection.

    python examples/lora.py book.txt --steps 50 --output runs/lora
    python examples/lora.py talks.jsonl --steps 50 --output runs/lora

A line of talks.jsonl is one talk, whose last message is what the model is to say:

    [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Good day."}]

Of talks only these answers are learned. The large matrices stay as they are; less than
a hundredth of the parameters learns. The small ones are saved alone, for
`python -m transformer write --chat --adapter runs/lora/adapter`. At the end they are
added to the large ones, so that the model has its own parts again and can be saved
whole.

Source: Hu et al. (2022), section 4.1, equation (3).
"""

import json
from argparse import ArgumentParser
from pathlib import Path

from fine_tune import cut, fine_tune

from transformer import count_parameters, generate, zoo
from transformer.data import Batch
from transformer.data.answers import answer_batch
from transformer.training import (
    attach_adapter,
    list_adapter,
    merge_adapter,
    save_adapter,
)


def read(file: Path, tokenizer: zoo.PieceTokenizer) -> tuple[list[Batch], list[int]]:
    """Return batches of a text or of talks, and how the first of them begins."""
    text = file.read_text(encoding="utf-8")
    if file.suffix != ".jsonl":
        ids = tokenizer.encode(text)
        return cut(ids, length=129, rows=4), tokenizer.encode(text[:60])
    talks = [json.loads(line) for line in text.splitlines()]
    answers = [tokenizer.answered(talk) for talk in talks]
    batches = [answer_batch(answers[n : n + 4]) for n in range(0, len(answers), 4)]
    return batches, tokenizer.chat(talks[0][:-1])


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
    batches, begin = read(said.text, tokenizer)
    losses = fine_tune(model, batches, steps=said.steps, rate=said.rate)
    print(f"loss {losses[0]:.3f} at first, {losses[-1]:.3f} at last")
    save_adapter(model, Path(said.output) / "adapter")
    merge_adapter(model)
    options = {"max_new_tokens": 40, "eos_id": tokenizer.end_ids}
    new = generate(model, [begin], temperature=0.7, seed=0, **options)
    print(tokenizer.decode(new[0].tolist()))
    model.save(said.output, tokenizer=tokenizer)


if __name__ == "__main__":
    main()
