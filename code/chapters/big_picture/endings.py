"""How a language model would go on with a few short texts, layer by layer.

Where there is no model to ask, the explorer of the chapter reads what
`python -m chapters.big_picture.endings` has written down.
"""

from collections.abc import Sequence

import torch

from chapters.big_picture.one_prompt import guesses, read_through
from chapters.laboratory.measurements import Measurements
from chapters.laboratory.real_model import open_model
from transformer.zoo import LanguageModel

MEASUREMENTS = Measurements("big_picture", "endings")
MODEL = "smollm2-135m"
COUNT = 10  # guesses that are shown after a layer
PLACES = 1  # decimals of their percents
PROMPTS = (
    "The capital of France is",
    "I run, you run, she",
    "big → small, hot → cold, long →",
    "An apple a day keeps the doctor",
    "My favorite animal is the",
)
_UNSEEN = {
    "": "[end]",
    " ": "\N{OPEN BOX}",
    "\N{NO-BREAK SPACE}": "[hard space]",
    "\n": "↵",
    "\n\n": "↵↵",
}


def name_token(token: str) -> str:
    r"""Write a token so that it can be seen; a piece that is glued on has a hyphen.

    >>> [name_token(token) for token in (" Paris", "attoos", "'s", "\n")]
    ['Paris', '-attoos', "'s", '↵']
    """
    if token in _UNSEEN:
        return _UNSEEN[token]
    if not token.strip():
        return "[spaces]"
    if "\N{REPLACEMENT CHARACTER}" in token:
        return "[part of a sign]"
    return f"-{token}" if token[0].isalpha() else token.strip()


def read_endings(model: torch.nn.Module, tokenizer: object, text: str) -> dict:
    """Return the likeliest next tokens if the model had to answer after each layer.

    Args:
        model: A decoder-only language model.
        tokenizer: Its tokenizer.
        text: What it reads.

    Returns:
        text: the same; words: a list for each layer from the first one on, the
        likeliest first; percents: how likely they are.
    """
    last = read_through(model, tokenizer, text)[1:, -1]
    shares, tokens = guesses(model, last).topk(COUNT)
    return {
        "text": text,
        "words": [
            [name_token(tokenizer.decode([token])) for token in row]
            for row in tokens.tolist()
        ],
        "percents": [
            [round(100 * share, PLACES) for share in row] for row in shares.tolist()
        ],
    }


def read_all(smollm: LanguageModel, prompts: Sequence[str] = PROMPTS) -> list[dict]:
    """Return what `read_endings` gives for each of some texts."""
    return [read_endings(*smollm, text) for text in prompts]


if __name__ == "__main__":
    MEASUREMENTS.write(read_all(open_model(MODEL)), model=MODEL)
