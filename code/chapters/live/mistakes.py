"""The numbers that the translator gets wrong, of all that it can be asked.

`python -m chapters.live.mistakes` asks for each of them, for five minutes, and writes
`mistakes.json`. The page says how many there are, and shows some.
"""

from collections.abc import Iterator, Sequence

import torch

from chapters.laboratory.measurements import Measurements
from chapters.laboratory.translator import numbers
from chapters.live import pack, twins
from transformer.data import BOS_ID, EOS_ID, Pair
from transformer.data.numerals import LIMIT, english, french
from transformer.models import Transformer
from transformer.packages import need

MEASUREMENTS = Measurements("live", "mistakes")
AT_ONCE = 2_000


@torch.no_grad()
def find(model: Transformer, among: Sequence[int]) -> Iterator[dict]:
    """Yield the numbers that a translator gets wrong.

    Args:
        model: A translator.
        among: The numbers to ask for.

    Yields:
        "number", and what the translator "wrote" for it; of the first word that is
        wrong its "place", its "chance", and the "right" one.
    """
    tqdm = need("tqdm", what="a progress bar needs", extra="training").tqdm
    for start in tqdm(range(0, len(among), AT_ONCE), disable=None):
        some = among[start : start + AT_ONCE]
        pairs = [Pair(english(number), french(number)) for number in some]
        wrote = twins.translations(model, pairs)
        for number, pair, text in zip(some, pairs, wrote, strict=True):
            if text != pair.target:
                yield {"number": number, "wrote": text, **doubt(model, pair, text)}


@torch.no_grad()
def doubt(model: Transformer, pair: Pair, wrote: str) -> dict:
    """Return where a translation goes wrong, and how sure the model was of it."""
    tokenizer = numbers().tokenizer
    source, target, text = ([*tokenizer.encode(t), EOS_ID] for t in (*pair, wrote))
    both = zip(text, target, strict=False)
    place = next(i for i, (found, right) in enumerate(both) if found != right)
    logits = model(torch.tensor([source]), torch.tensor([[BOS_ID, *text[:place]]]))
    chances = logits[0, -1].softmax(dim=-1)
    return {
        "place": place,
        "chance": chances[text[place]].item(),
        "right": [*tokenizer.pieces(pair.target), pack.END][place],
    }


def main() -> None:
    """Ask for every number, and write the file."""
    model = pack.load(pack.read_weights())
    MEASUREMENTS.write(list(find(model, range(LIMIT))))


if __name__ == "__main__":
    main()
