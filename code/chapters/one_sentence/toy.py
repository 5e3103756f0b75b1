"""The pencil-and-paper translator, with the matrix that says what to look for as input.

The notebook writes the same machine out, station by station; the exercises try
answers in this one.
"""

import torch
from jaxtyping import Float
from torch import Tensor

WORDS = ("<start>", "<end>", "red", "house", "rouge", "maison")
RED, HOUSE, START = (1, -1, 1, -1), (1, -1, -1, 1), (1, 1, -1, -1)
LONGEST = 4


def rows() -> tuple[Tensor, Tensor, Tensor]:
    """Return the vectors of red, of house and of the start."""
    return tuple(torch.tensor(x, dtype=torch.float64) for x in (RED, HOUSE, START))


def embedding() -> Float[Tensor, "vocab d_model"]:
    """Return the rows of all words; a translation has the opposite of its word."""
    red, house, start = rows()
    return torch.stack((start, -start, red, house, -red, -house))


def send(*pairs: tuple[Tensor, Tensor]) -> Tensor:
    """Return the matrix that sends the first row of each pair to the second."""
    return sum(torch.outer(x, y) / (x @ x) for x, y in pairs)


def french_order() -> Tensor:
    """Return what to look for where the noun comes first."""
    red, house, start = rows()
    return send((start, house), (-house, red), (-red, -start))


def norm(x: Float[Tensor, "time d_model"]) -> Float[Tensor, "time d_model"]:
    """Bring each row to mean 0 and variance 1."""
    x = x - x.mean(dim=-1, keepdim=True)
    return x / (x.square().mean(dim=-1, keepdim=True) + 1e-5).sqrt()


def weights(
    x: Tensor, y: Tensor, queries: Tensor, *, causal: bool = False
) -> Float[Tensor, "time source"]:
    """Return how much each row of x looks at each row of y, its own key."""
    scores = x @ queries @ y.T / queries.size(-1) ** 0.5
    if causal:
        scores = scores.masked_fill(torch.ones_like(scores).triu(1).bool(), -torch.inf)
    return scores.softmax(dim=-1)


def attend(
    x: Tensor, y: Tensor, queries: Tensor, values: Tensor, *, causal: bool = False
) -> Float[Tensor, "time d_model"]:
    """Let rows of x look at rows of y, which are their own keys."""
    return weights(x, y, queries, causal=causal) @ (y @ values)


def embed(ids: list[int], without: str = "") -> Float[Tensor, "time d_model"]:
    """Return a row for each id, with the position added."""
    positions = torch.ones(LONGEST - 1, dtype=torch.float64).diag(-1)
    return 2 * embedding()[ids] + ("positions" not in without) * positions[: len(ids)]


def encode(ids: list[int], without: str = "") -> Float[Tensor, "source d_model"]:
    """Return the memory of a source.

    Args:
        ids: What is read.
        without: Parts that add nothing, joined by "+": "positions",
            "self-attention", "cross-attention", "feed-forward".
    """
    same = torch.eye(4, dtype=torch.float64)
    x = embed(ids, without)
    x = norm(x + ("self-attention" not in without) * attend(x, x, same / 4, same))
    return norm(x + ("feed-forward" not in without) * x.relu())


def decode(
    ids: list[int], memory: Tensor, ask: Tensor, without: str = ""
) -> Float[Tensor, "target vocab"]:
    """Return the logits of the token after each one.

    Args:
        ids: What was said so far, from the start on.
        memory: What `encode` returned.
        ask: Sends a row of the decoder to what it looks for.
        without: As in `encode`.
    """
    red, house, start = rows()
    tell = send((red, -red), (house, -house), (-start, -start))
    same = torch.eye(4, dtype=torch.float64)
    x = embed(ids, without)
    mixed = attend(x, x, same / 4, same, causal=True)
    x = norm(x + ("self-attention" not in without) * mixed)
    found = attend(x, memory, 2 * ask, 3 * tell)
    x = norm(x + ("cross-attention" not in without) * found)
    x = norm(x + ("feed-forward" not in without) * x.relu())
    return x @ embedding().T


def translate(sentence: str, ask: Tensor, *, limit: int = 3) -> list[str]:
    """Return what the machine writes, one word after the other.

    Args:
        sentence: Words of the vocabulary, with spaces between them.
        ask: Sends a row of the decoder to what it looks for.
        limit: Words at most.
    """
    memory = encode([WORDS.index(word) for word in sentence.split()])
    said = [WORDS.index("<start>")]
    while len(said) <= limit and WORDS[said[-1]] != "<end>":
        logits = decode(said, memory, ask)[-1]
        said.append(int(logits.argmax()))
    return [WORDS[token] for token in said[1:]]


def chances(sentence: str, said: str, *, without: str = "") -> list[float]:
    """Return the probability of each word of a translation, given those before it.

    Args:
        sentence: What is read.
        said: What is to be written.
        without: Parts that add nothing, as in `encode`.
    """
    source, wanted = (
        [WORDS.index(word) for word in text.split()] for text in (sentence, said)
    )
    read = [WORDS.index("<start>"), *wanted[:-1]]
    memory = encode(source, without)
    shares = decode(read, memory, french_order(), without).softmax(dim=-1)
    return shares[range(len(wanted)), wanted].tolist()
