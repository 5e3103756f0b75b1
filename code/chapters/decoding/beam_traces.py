"""Traces of a beam: what it considers, keeps, finishes and drops at each step.

`transformer.decoding.beam_search` returns the best text alone. `follow` makes the same
choices in plain Python and writes them down; a test compares the two. The explorer of
the chapter on decoding reads the traces from a file that
`python -m chapters.decoding.beam_traces FILE` writes.
"""

from collections.abc import Callable, Sequence
from itertools import product
from math import inf
from typing import NamedTuple

import torch
from torch import Tensor, nn

from chapters.decoding.translations import BELOW, LONGEST, STEPS
from chapters.laboratory.measurements import Measurements
from chapters.laboratory.translator import numbers, train_translator
from transformer.data import BOS_ID, EOS_ID, SPECIALS, english
from transformer.decoding import length_divisor

MEASUREMENTS = Measurements("decoding", "beam_traces")
SEED = 0  # of the training that the chapter shows
SHOWN = (396, 8_714, 9_571, 5_000)  # none was learned
WIDTHS = (1, 2, 3, 4, 5)
PENALTIES = (0.0, 0.6, 1.0)
FEWEST = 4  # continuations that are shown, where the beam considers less
GOES_ON, ENDED, DROPPED = "goes on", "ended", "dropped"


class Candidate(NamedTuple):
    """A continuation that a beam looks at in a step.

    Args:
        parent: Its place among the candidates of the step before; -1 at the start.
        token: What it adds.
        nats: The logarithm of its probability, the sum over its tokens.
        fate: `GOES_ON`, `ENDED` (it is put aside as finished) or `DROPPED`.
    """

    parent: int
    token: int
    nats: float
    fate: str


class Trace(NamedTuple):
    """The steps of a search, and the step and the place of the text that won."""

    steps: list[list[Candidate]]
    winner: tuple[int, int]

    def text(self, step: int, place: int) -> list[int]:
        """Return the tokens of a candidate, the first one first."""
        tokens: list[int] = []
        while step >= 0:
            candidate = self.steps[step][place]
            tokens.insert(0, candidate.token)
            step, place = step - 1, candidate.parent
        return tokens

    def score(self, step: int, place: int, penalty: float) -> float:
        """Return the sum of a candidate over the divisor of its length."""
        return self.steps[step][place].nats / length_divisor(step + 1, penalty)


def follow(
    ask: Callable[[list[int]], Sequence[float]],
    *,
    width: int,
    penalty: float,
    longest: int,
    end: int,
) -> Trace:
    """Search as `beam_search` does for one row, and write down every step.

    Args:
        ask: Takes a text, returns the log-probability of each next token.
        width: How many texts are followed.
        penalty: The exponent of `length_divisor`.
        longest: How many tokens a text gets at most.
        end: The token that ends a text.
    """
    trace, best, live = Trace([], (0, 0)), -inf, [(-1, [], 0.0)]
    for step in range(longest):
        trace.steps.append(chosen(grown(live, ask), width, end))
        candidates = list(enumerate(trace.steps[step]))
        going = [place for place, c in candidates if c.fate == GOES_ON]
        compete = [place for place, c in candidates if c.fate == ENDED]
        if step == longest - 1:
            compete += going  # what is full competes as it is
        for place in compete:
            score = trace.score(step, place, penalty)
            if score > best:
                best, trace = score, trace._replace(winner=(step, place))
        # A sum only falls, and no divisor is larger than that of the longest text.
        sums = [trace.steps[step][place].nats for place in going]
        if max(sums, default=-inf) / length_divisor(longest, penalty) <= best:
            break
        live = [(p, trace.text(step, p), trace.steps[step][p].nats) for p in going]
    return trace


def grown(live: list[tuple[int, list[int], float]], ask: Callable) -> list[Candidate]:
    """Continue each text by every token; the best continuation comes first."""
    found = [
        Candidate(parent, token, nats + more, DROPPED)
        for parent, text, nats in live
        for token, more in enumerate(ask(text))
    ]
    return sorted(found, key=lambda c: -c.nats)  # of equal ones the first stays first


def chosen(found: list[Candidate], width: int, end: int) -> list[Candidate]:
    """Describe what becomes of the best continuations, of which some are shown."""
    considered = 1 if width == 1 else 2 * width
    fates, going = [], 0
    for place, candidate in enumerate(found[: max(FEWEST, considered)]):
        fate = DROPPED
        if candidate.token == end:
            fate = ENDED if place < width else DROPPED
        elif place < considered and going < width:
            fate, going = GOES_ON, going + 1
        fates.append(candidate._replace(fate=fate))
    return fates


def asker(model: nn.Module, source: Sequence[int]) -> Callable[[list[int]], list]:
    """Return what gives the log-probabilities of the token after a text."""
    device = next(model.parameters()).device
    read = torch.tensor([source], device=device)
    known: dict[tuple[int, ...], list[float]] = {}

    @torch.no_grad()
    def ask(text: list[int]) -> list[float]:
        if tuple(text) not in known:
            target = torch.tensor([[BOS_ID, *text]], device=device)
            logits: Tensor = model(read, target)[0, -1]
            known[tuple(text)] = logits.double().log_softmax(dim=-1).tolist()
        return known[tuple(text)]

    return ask


def traces_of(model: nn.Module, source: Sequence[int]) -> dict[tuple, Trace]:
    """Return a trace for each width and penalty."""
    ask = asker(model, source)
    rest = {"longest": LONGEST, "end": EOS_ID}
    return {
        (width, penalty): follow(ask, width=width, penalty=penalty, **rest)
        for width, penalty in product(WIDTHS, PENALTIES)
    }


def measured(*, steps: int = STEPS, shown: tuple[int, ...] = SHOWN) -> list[dict]:
    """Train the translator, and return a row for each number and width.

    The penalty decides when a search stops and which text wins, and not what a step
    does. So a row keeps the steps of the longest search, and of each penalty the
    number of steps and the place of the winner.
    """
    torch.set_num_threads(1)
    model = train_translator(seed=SEED, steps=steps, below=BELOW).model.double().eval()
    tokenizer = numbers(BELOW).tokenizer
    rows = []
    for number in shown:
        source = [*tokenizer.encode(english(number)), EOS_ID]
        traces = traces_of(model, source)
        for width in WIDTHS:
            of_width = {p: traces[width, p] for p in PENALTIES}
            rows.append({"number": number, "width": width} | told(of_width))
    return rows


def told(of_width: dict[float, Trace]) -> dict:
    """Return what the file holds of the traces of one width."""
    longest = max(of_width.values(), key=lambda trace: len(trace.steps))
    steps = [[[c.parent, piece(c.token), *c[2:]] for c in s] for s in longest.steps]
    ends = {str(p): [len(t.steps), *t.winner] for p, t in of_width.items()}
    return {"ends": ends, "steps": steps}


def piece(token: int) -> str:
    """Return the piece of a word that a token stands for; that of the end is "end"."""
    if token == EOS_ID:
        return "end"
    return (*SPECIALS, *numbers(BELOW).tokenizer.vocabulary)[token]


if __name__ == "__main__":
    MEASUREMENTS.write(measured(), seed=SEED, steps=STEPS)
