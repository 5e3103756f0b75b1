"""Bindings for the docstrings of decoding that `formula_docstrings` does not hold."""

from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
import torch
from formula_bindings import Draw, binds, of_docstring
from torch import Tensor

from bookkit.checking.formulas import Binding, Family
from transformer.config import TransformerConfig
from transformer.decoding import (
    Continuation,
    beam_search,
    generate,
    greedy_decode,
    keep_min_p,
    keep_top_k,
    keep_top_p,
    length_divisor,
    penalize_repetition,
    sample,
)
from transformer.decoding.sampling import uniform
from transformer.decoding.shaping import draw as drawn
from transformer.models import DecoderOnlyTransformer

VOCAB, NEW, PROMPT = 11, 5, (4, 7)
TOKENS = range(VOCAB)


@cache
def model() -> DecoderOnlyTransformer:
    """Return a small language model that says much the same of no two texts."""
    config = TransformerConfig(
        vocab_size=VOCAB,
        d_model=10,
        d_ff=13,
        num_heads=2,
        num_encoder_layers=0,
        num_decoder_layers=1,
        position="learned",
        max_len=16,
    )
    found = Draw("model").module(DecoderOnlyTransformer(config)).eval()
    for name, parameter in found.named_parameters():
        if parameter.dim() == 1:  # a gain or a shift, which would outweigh the text
            parameter.data.fill_(1.0 if name.endswith("weight") else 0.0)
    return found


@cache
def logits_after(*read: int) -> Tensor:
    """Return what the model scores after the prompt and some tokens."""
    return model()(torch.tensor([[*PROMPT, *read]]))[0, -1]


def distribution(token: object, given: str, *read: object) -> Tensor:
    """Return what the model says of the next token, or of one token."""
    if given != "given" or not all(isinstance(one, int | np.integer) for one in read):
        raise ValueError("a token must be given those before it")
    found = logits_after(*map(int, read)).softmax(-1).numpy()
    return found if token == "any" else found[int(token)]


def text(found: Tensor) -> Family:
    """Return the new tokens of the only row, counted from 1."""
    tokens = found[0].tolist()
    return Family(lambda t: tokens[t - 1] if t else None)


STEPS = {"t": range(1, NEW + 1)}


@binds("decoding.greedy:greedy_decode")
def most_probable(draw: Draw) -> Binding:
    found = greedy_decode(model(), torch.tensor([PROMPT]), max_new_tokens=NEW)
    names = {"y": text(found), "p": distribution}
    return of_docstring(names, STEPS | {"v": TOKENS})


@binds("decoding.generation:generate")
def chosen(draw: Draw) -> Binding:
    found = generate(model(), torch.tensor([PROMPT]), max_new_tokens=NEW)
    return of_docstring(
        {"y": text(found), "p": distribution, "choice": np.argmax}, STEPS
    )


@binds("decoding.continuation:Continuation")
def continued(draw: Draw) -> Binding:
    going = Continuation(model(), torch.tensor([PROMPT]), max_new_tokens=NEW)
    logits = [None]
    for _ in range(NEW):
        logits.append(going.next_logits()[0, 0])
        going.append(logits[-1].argmin()[None])
    names = {
        "logits": Family(lambda t: logits[t].numpy()),
        "Model": lambda *read: logits_after(*read).numpy(),
        "y": text(going.new_tokens()),
        "choice": np.argmin,
    }
    return of_docstring(names, STEPS)


class Drawn:
    """A distribution that equals what is drawn from it with a known number."""

    def __init__(self, number: float, probabilities: np.ndarray) -> None:
        self.number, self.sums = number, probabilities.cumsum()

    def __eq__(self, token: object) -> bool:
        """Say whether a token is the first at which the sum exceeds the number."""
        return token == np.searchsorted(self.sums, self.number, side="right")


@binds("decoding.sampling:sample")
def drawn_one_by_one(draw: Draw) -> Iterator[Binding]:
    for seed in range(3):
        numbers = uniform(torch.Generator().manual_seed(seed), NEW, 1)[:, 0]
        found = sample(
            model(),
            torch.tensor([PROMPT]),
            max_new_tokens=NEW,
            temperature=1.0,
            seed=seed,
        )

        def p(token: object, given: str, *read: object, numbers=numbers) -> Drawn:
            return Drawn(float(numbers[len(read)]), distribution(token, given, *read))

        yield of_docstring({"y": text(found), "p": p}, STEPS)


@binds("decoding.shaping:draw")
def first_beyond(draw: Draw) -> Iterator[Binding]:
    p = draw.positive(VOCAB)
    p = p / p.sum()
    for number in draw.positive(4) % 1:
        y = int(drawn(p[None], number[None]))
        yield of_docstring({"y": y, "p": p, "U": number}, {"v": TOKENS, "u": TOKENS})


@binds("decoding.beam:beam_search")
def score_of_a_text(draw: Draw) -> Binding:
    found = beam_search(
        model(),
        torch.tensor([PROMPT]),
        beam_width=3,
        max_new_tokens=NEW,
        length_penalty=0.7,
    )
    tokens, score = found.tokens[0, 0].tolist(), float(found.scores[0, 0])
    divisor = length_divisor(NEW, 0.7)

    def of_the_text(value: float) -> Callable[[object], float]:
        """Return a function that knows the whole text only."""
        return {tuple(tokens): value}.__getitem__

    names = {
        "Y": tuple(tokens),
        "y": text(found.tokens[:, 0]),
        "s": of_the_text(score),
        "P": of_the_text(np.exp(score * divisor)),
        "lp": of_the_text(divisor),
        "p": distribution,
    }
    return of_docstring(names, STEPS)


def filtered(
    draw: Draw, change: Callable[[Tensor], Tensor], **names: object
) -> Binding:
    """Bind logits, and what a filter leaves of them."""
    x = draw(VOCAB)
    names |= {"x": x, "x'": change(x[None])[0], "P": x.softmax(-1)}
    return of_docstring(names, {"v": TOKENS, "u": TOKENS})


@binds("decoding.filters:keep_top_k")
def best_of_all(draw: Draw) -> Binding:
    def top(x: np.ndarray) -> list[int]:
        return sorted(TOKENS, key=lambda v: -x[v])[:4]

    return filtered(draw, lambda x: keep_top_k(x, 4), top_k=top)


@binds("decoding.filters:keep_top_p")
def nucleus(draw: Draw) -> Iterator[Binding]:
    for share in (0.3, 0.6, 0.9):
        yield filtered(draw, lambda x, p=share: keep_top_p(x, p), p=share)


@binds("decoding.filters:keep_min_p")
def probable_enough(draw: Draw) -> Binding:
    return filtered(draw, lambda x: keep_min_p(x, 0.2), p=0.2)


@binds("decoding.filters:penalize_repetition")
def less_often(draw: Draw) -> Binding:
    seen = torch.arange(VOCAB) % 3 > 0
    return filtered(
        draw,
        lambda x: penalize_repetition(x, seen[None], 1.3),
        theta=1.3,
        seen=seen.nonzero()[:, 0].tolist(),
    )
