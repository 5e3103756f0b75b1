"""A machine by hand with eight features, in which most parts have work to do.

It translates what is made of *the*, *red*, *house* and *garden*, such as *the garden
the red house*, and is wired like the machine with four features.
"""

from math import pi

import torch
from jaxtyping import Float
from torch import Tensor

from chapters.one_sentence.toy import attend, norm, send, weights

# Seven rows of mean 0 that are orthogonal to one another.
_PLUS_MINUS = torch.tensor([[1.0, 1.0], [1.0, -1.0]], dtype=torch.float64)
_ROWS = torch.kron(_PLUS_MINUS, torch.kron(_PLUS_MINUS, _PLUS_MINUS))
THINGS = _ROWS[1:]
START, ARTICLE, RED, NOUN, FEMININE, EAST, NORTH = THINGS
END = -START

# A French word is minus the English one; "la" is minus a "the" that knows its noun.
VECTORS = {
    "<start>": START,
    "<end>": END,
    "the": ARTICLE,
    "red": RED,
    "house": NOUN + FEMININE,
    "garden": NOUN - FEMININE,
    "la": -ARTICLE - FEMININE,
    "le": -ARTICLE + FEMININE,
    "rouge": -RED,
    "maison": -NOUN - FEMININE,
    "jardin": -NOUN + FEMININE,
}
WORDS = tuple(VECTORS)
EMBEDDING = torch.stack([*VECTORS.values()])


def hand(place: float) -> Float[Tensor, " d_model"]:
    """Return the hand of a clock that turns by 45 degrees from place to place."""
    angle = torch.tensor(place * pi / 4, dtype=torch.float64)
    return angle.cos() * EAST + angle.sin() * NORTH


def turn(places: float) -> Float[Tensor, "d_model d_model"]:
    """Return the matrix that turns each hand onward by some places."""
    return send((EAST, hand(places)), (NORTH, hand(places + 2)))


# Self-attention: "the" looks for a noun, and all look a little further on; what is
# handed over is the gender.
LOOK = send((ARTICLE, NOUN)) + turn(1.5)
GENDER = send((FEMININE, FEMININE))
# Cross-attention: an article, its noun, then "red" or the next article or the end, all
# near the decoder's own place.
ASK = 3 * turn(0) + send(
    (START, 2 * ARTICLE),
    (-ARTICLE, 2 * NOUN),
    (-NOUN, 2 * RED + 2 * ARTICLE + END),
    (-RED, 2 * ARTICLE + END),
)
TELL = 4 * send(*((row, -row) for row in (ARTICLE, RED, NOUN, FEMININE)), (END, END))
NOTHING = torch.zeros_like(ASK)

# What each step leaves, in the encoder and then in the decoder.
STEPS = (
    "word and place",
    "self-attention",
    "add, norm",
    "feed-forward",
    "memory",
    "add, norm 1",
    "query",
    "cross-attention",
    "add, norm 2",
    "feed-forward 2",
    "add, norm 3",
)


def wishes(matrix: Float[Tensor, "d_model d_model"]) -> Float[Tensor, "things things"]:
    """Return how much of each thing (a column) a matrix makes of each thing (a row)."""
    return THINGS @ matrix @ THINGS.T / EMBEDDING.size(-1)


def shares(x: Float[Tensor, "time d_model"]) -> Float[Tensor, "time vocab"]:
    """Return how much of each word is in each row; a word has 1 of itself."""
    return x @ EMBEDDING.T / EMBEDDING.square().sum(dim=-1)


def feed_forward(x: Float[Tensor, "time d_model"]) -> Float[Tensor, "time d_model"]:
    """Say those words once more, of which more than half is there."""
    return 2 * (shares(x) - 0.5).relu() @ EMBEDDING


def embed(sentence: str, without: str = "") -> Float[Tensor, "time d_model"]:
    """Return a row for each word, with the hand of its place added."""
    x = torch.stack([VECTORS[word] for word in sentence.split()])
    hands = torch.stack([hand(place) for place in range(len(x))])
    return x + ("positions" not in without) * hands


def encode(sentence: str, without: str = "") -> Float[Tensor, "source d_model"]:
    """Return the memory of a sentence.

    Args:
        sentence: Words with spaces between them, the end included.
        without: A part that adds nothing: "positions", "self-attention",
            "cross-attention", "feed-forward"; or "norms", which change nothing then.
    """
    scale = (lambda x: x) if "norms" in without else norm
    x = embed(sentence, without)
    heard = attend(x, x, LOOK, GENDER)
    x = scale(x + ("self-attention" not in without) * heard)
    return scale(x + ("feed-forward" not in without) * feed_forward(x))


def looks(
    sentence: str, said: str
) -> tuple[Float[Tensor, "source source"], Float[Tensor, "target source"]]:
    """Return the weights of the encoder's self-attention and of cross-attention.

    Args:
        sentence: Words with spaces between them, the end included.
        said: What was written so far, the start included.
    """
    x, y = embed(sentence), norm(embed(said))  # masked self-attention adds nothing
    return weights(x, x, LOOK), weights(y, encode(sentence), ASK)


def decode(
    said: str, memory: Float[Tensor, "source d_model"], without: str = ""
) -> Float[Tensor, "target d_model"]:
    """Return the last row of each place; its products with all words are the logits.

    Args:
        said: What was written so far, the start included.
        memory: What `encode` returned.
        without: As in `encode`.
    """
    scale = (lambda x: x) if "norms" in without else norm
    x = embed(said, without)
    x = scale(x + attend(x, x, NOTHING, NOTHING, causal=True))
    found = attend(x, memory, ASK, TELL)
    x = scale(x + ("cross-attention" not in without) * found)
    return scale(x + ("feed-forward" not in without) * feed_forward(x))


def follow(sentence: str, said: str) -> dict[str, Float[Tensor, " d_model"]]:
    """Return the row that each step leaves: of the first word read, the last one said.

    Args:
        sentence: Words with spaces between them, the end included.
        said: What was written so far, the start included.
    """
    x, memory = embed(sentence), encode(sentence)
    heard = attend(x, x, LOOK, GENDER)
    read = norm(x + heard)
    y = norm(embed(said))  # masked self-attention adds nothing
    found = attend(y, memory, ASK, TELL)
    told = norm(y + found)
    encoder = (x, heard, read, feed_forward(read), memory)
    decoder = (y, y @ ASK, found, told, feed_forward(told), decode(said, memory))
    rows = [*(step[0] for step in encoder), *(step[-1] for step in decoder)]
    return dict(zip(STEPS, rows, strict=True))


def translate(
    sentence: str, *, without: str = "", limit: int = 6
) -> list[tuple[str, float]]:
    """Return what the machine writes, and the probability of each word.

    Args:
        sentence: Words with spaces between them, the end left out.
        without: As in `encode`.
        limit: Words at most.
    """
    memory = encode(f"{sentence} <end>", without)
    said = [("<start>", 1.0)]
    while len(said) <= limit and said[-1][0] != "<end>":
        so_far = " ".join(word for word, _ in said)
        logits = decode(so_far, memory, without)[-1] @ EMBEDDING.T
        share, number = logits.softmax(dim=-1).max(dim=-1)
        said.append((WORDS[number], share.item()))
    return said[1:]
