"""A Transformer by hand whose features have names.

It translates what is made of *the*, *red*, *house* and *garden*, such as *the garden
the red house*. Each row has nine numbers, which both languages share, and a wish ("an
article looks for a noun") is one entry of a matrix.
"""

from collections.abc import Mapping
from copy import copy
from math import radians

import torch
from jaxtyping import Float
from torch import Tensor

FEATURES = (
    "start",
    "end",
    "article",
    "red",
    "noun",
    "feminine",
    "masculine",
    "east",
    "north",
)
TOLD = FEATURES[1:7]  # what is handed over: all but the start and the hand
PHRASES = ("the house", "the red house", "the garden", "the red garden")
SENTENCES = (*PHRASES, *(f"{one} {other}" for one in PHRASES for other in PHRASES))
# Parts that can be taken out, each with what is left in its place.
PARTS = ("self-attention", "positions", "feed-forward", "cross-attention", "norms")

# What each step leaves, in the encoder and in the decoder.
READING = ("word and place", "answer", "add, norm", "feed-forward", "add, norm: memory")
WRITING = (
    "word and place",
    "norm",
    "query",
    "answer",
    "add, norm",
    "feed-forward",
    "add, norm: last",
)


def row(*names: str) -> Float[Tensor, " d_model"]:
    """Return a row with a 1 for each name and 0 for all others."""
    return torch.tensor([feature in names for feature in FEATURES]).double()


def wishes(
    entries: Mapping[tuple[str, str], float],
) -> Float[Tensor, "d_model d_model"]:
    """Return a matrix of zeros but for entries that are named by row and column."""
    matrix = torch.zeros(len(FEATURES), len(FEATURES), dtype=torch.float64)
    for (thing, wanted), size in entries.items():
        matrix[FEATURES.index(thing), FEATURES.index(wanted)] = size
    return matrix


def vectors() -> dict[str, Float[Tensor, " d_model"]]:
    """Return the vector of each word, the English ones before the French."""
    return {
        "<start>": row("start"),
        "the": row("article"),
        "red": row("red"),
        "house": row("noun", "feminine"),
        "garden": row("noun", "masculine"),
        "<end>": row("end"),
        "la": row("article", "feminine"),
        "le": row("article", "masculine"),
        "rouge": row("red"),
        "maison": row("noun", "feminine"),
        "jardin": row("noun", "masculine"),
    }


WORDS = tuple(vectors())  # the names only: a reader's device is not known yet
FRENCH = WORDS[5:]  # what may be written, the end included


def in_french(sentence: str) -> list[str]:
    """Return the right translation of one phrase or of several, with the end."""
    said = []
    for phrase in sentence.split("the ")[1:]:
        feminine = "house" in phrase
        said += ["la", "maison"] if feminine else ["le", "jardin"]
        said += ["rouge"] if "red" in phrase else []
    return [*said, "<end>"]


def norm(x: Float[Tensor, "time d_model"]) -> Float[Tensor, "time d_model"]:
    """Divide each row by the root of its mean square; its length is then 3."""
    return x / x.square().mean(dim=-1, keepdim=True).sqrt()


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


def shares(
    x: Float[Tensor, "time d_model"], words: Float[Tensor, "units d_model"]
) -> Float[Tensor, "time units"]:
    """Return how much of each word is in each row; a word has 1 of itself."""
    return x @ words.T / words.square().sum(dim=-1)


class Machine:
    """One layer that reads and one that writes, and the six numbers we chose.

    Args:
        sharp: How large a wish is, so that most of the weight goes to one word.
        loud: How large the answer of cross-attention is, so that it is heard.
        threshold: Above which share a unit of the feed-forward network fires.
        end: How much the end is wanted, beside 1 for all else.
        degrees: By how much the hand of the clock turns from place to place.
        onward: How many places on "the" looks for its noun.
    """

    def __init__(
        self,
        *,
        sharp: float = 9.0,
        loud: float = 3.0,
        threshold: float = 1.5,
        end: float = 0.5,
        degrees: float = 45.0,
        onward: float = 1.5,
    ) -> None:
        self.threshold, self.degrees = threshold, degrees
        self.embedding = torch.stack([*vectors().values()])
        self.compass = torch.stack([row("east"), row("north")])
        self.look = sharp * (wishes({("article", "noun"): 1}) + self.turn(onward))
        self.gender = wishes({(it, it): 1 for it in ("feminine", "masculine")})
        asked = {
            ("start", "article"): 1,
            ("article", "noun"): 1,
            ("noun", "red"): 1,
            ("noun", "article"): 1,
            ("noun", "end"): end,
            ("red", "article"): 1,
            ("red", "end"): end,
        }
        self.ask = sharp * (wishes(asked) + self.turn(0))
        self.tell = loud * wishes({(feature, feature): 1 for feature in TOLD})
        self.nothing = torch.zeros_like(self.ask)

    @property
    def english(self) -> Float[Tensor, "units d_model"]:
        """The words that the encoder knows, the start and the end among them."""
        return self.embedding[:6]

    @property
    def french(self) -> Float[Tensor, "units d_model"]:
        """The words that the decoder may write, the end among them."""
        return self.embedding[5:]

    def hand(self, place: float) -> Float[Tensor, " d_model"]:
        """Return the hand of the clock at a place; at place 0 it points east."""
        angle = torch.tensor(radians(place * self.degrees), dtype=torch.float64)
        return torch.stack([angle.cos(), angle.sin()]) @ self.compass

    def turn(self, places: float) -> Float[Tensor, "d_model d_model"]:
        """Return the matrix that turns each hand onward by some places."""
        quarter = 90 / self.degrees  # from east to north
        turned = torch.stack([self.hand(places), self.hand(places + quarter)])
        return self.compass.T @ turned

    def rotated(self, rotation: Float[Tensor, "d_model d_model"]) -> "Machine":
        """Return the same machine with all its rows turned, so that none has a name."""
        other = copy(self)
        other.embedding = self.embedding @ rotation
        other.compass = self.compass @ rotation
        for name in ("look", "gender", "ask", "tell"):
            setattr(other, name, rotation.T @ getattr(self, name) @ rotation)
        return other

    def embed(self, sentence: str, without: str = "") -> Float[Tensor, "time d_model"]:
        """Return a row for each word, with the hand of its place added."""
        x = self.embedding[[WORDS.index(word) for word in sentence.split()]]
        hands = torch.stack([self.hand(place) for place in range(len(x))])
        return x + ("positions" not in without) * hands

    def feed_forward(
        self, x: Float[Tensor, "time d_model"], words: Float[Tensor, "units d_model"]
    ) -> Float[Tensor, "time d_model"]:
        """Say the words of which enough is there, by what is above the threshold."""
        return (shares(x, words) - self.threshold).relu() @ words

    def encode(
        self, sentence: str, without: str = ""
    ) -> Float[Tensor, "source d_model"]:
        """Return the memory of a sentence.

        Args:
            sentence: Words with spaces between them, the end included.
            without: One of `PARTS`, which adds nothing then (and norms change nothing).
        """
        return self.reading(sentence, without)[READING[-1]]

    def decode(
        self, said: str, memory: Float[Tensor, "source d_model"], without: str = ""
    ) -> Float[Tensor, "target d_model"]:
        """Return the last row of each place; its products with French words are logits.

        Args:
            said: What was written so far, the start included.
            memory: What `encode` returned.
            without: As in `encode`.
        """
        return self._writing(said, memory, without)[WRITING[-1]]

    def looks(
        self, sentence: str, said: str
    ) -> tuple[Float[Tensor, "source source"], Float[Tensor, "target source"]]:
        """Return the weights of the encoder's self-attention and of cross-attention.

        Args:
            sentence: Words with spaces between them, the end included.
            said: What was written so far, the start included.
        """
        x, y = self.embed(sentence), norm(self.embed(said))
        return weights(x, x, self.look), weights(y, self.encode(sentence), self.ask)

    def reading(
        self, sentence: str, without: str = ""
    ) -> dict[str, Float[Tensor, "source d_model"]]:
        """Return what each step of the encoder leaves.

        Args:
            sentence: Words with spaces between them, the end included.
            without: As in `encode`.
        """
        scale = (lambda x: x) if "norms" in without else norm
        x = self.embed(sentence, without)
        answer = attend(x, x, self.look, self.gender)
        heard = ("self-attention" not in without) * answer
        read = scale(x + heard)
        units = ("feed-forward" not in without) * self.feed_forward(read, self.english)
        rows = (x, heard, read, units, scale(read + units))
        return dict(zip(READING, rows, strict=True))

    def writing(
        self, sentence: str, said: str
    ) -> dict[str, Float[Tensor, "target d_model"]]:
        """Return what each step of the decoder leaves.

        Args:
            sentence: Words with spaces between them, the end included.
            said: What was written so far, the start included.
        """
        return self._writing(said, self.encode(sentence))

    def _writing(
        self, said: str, memory: Float[Tensor, "source d_model"], without: str = ""
    ) -> dict[str, Float[Tensor, "target d_model"]]:
        """Return what each step of the decoder leaves beside a memory."""
        scale = (lambda x: x) if "norms" in without else norm
        x = self.embed(said, without)
        y = scale(x + attend(x, x, self.nothing, self.nothing, causal=True))
        answer = attend(y, memory, self.ask, self.tell)
        found = ("cross-attention" not in without) * answer
        told = scale(y + found)
        units = ("feed-forward" not in without) * self.feed_forward(told, self.french)
        rows = (x, y, y @ self.ask, found, told, units, scale(told + units))
        return dict(zip(WRITING, rows, strict=True))

    def translate(
        self, sentence: str, *, without: str = "", limit: int = 7
    ) -> list[tuple[str, float]]:
        """Return what the machine writes, and the probability of each word.

        Args:
            sentence: Words with spaces between them, the end left out.
            without: As in `encode`.
            limit: Words at most.
        """
        memory = self.encode(f"{sentence} <end>".strip(), without)
        said = [("<start>", 1.0)]
        while len(said) <= limit and said[-1][0] != "<end>":
            so_far = " ".join(word for word, _ in said)
            logits = self.decode(so_far, memory, without)[-1] @ self.french.T
            share, number = logits.softmax(dim=-1).max(dim=-1)
            said.append((FRENCH[number], share.item()))
        return said[1:]

    def count_right(self, *, without: str = "") -> int:
        """Return how many of the sentences of one or two phrases it gets right."""
        found = (
            [word for word, _ in self.translate(sentence, without=without)]
            for sentence in SENTENCES
        )
        return sum(
            said == in_french(sentence)
            for said, sentence in zip(found, SENTENCES, strict=True)
        )
