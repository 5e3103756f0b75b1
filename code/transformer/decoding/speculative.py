"""Speculative decoding: a small model guesses, the large one checks many at once."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Integer
from torch import Tensor

from transformer.blocks.inputs import real_tokens
from transformer.checks.values import check_size
from transformer.decoding.continuation import (
    Continuation,
    MaybeWrapped,
    check_writer,
    continuing,
    reads_source,
)
from transformer.decoding.correction import acceptance, residual
from transformer.decoding.sampling import random_source, uniform
from transformer.decoding.shaping import Shaping, draw
from transformer.models import unwrapped


class Speculation(NamedTuple):
    """The texts, and of each row how many tokens were guessed, how many rightly."""

    tokens: Integer[Tensor, "batch new"]
    accepted: Integer[Tensor, " batch"]
    proposed: Integer[Tensor, " batch"]


def speculative_sample(
    model: MaybeWrapped,
    draft: MaybeWrapped,
    tokens: Integer[Tensor, "batch time"],
    *,
    max_new_tokens: int,
    lookahead: int = 4,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    generator: torch.Generator | None = None,
    seed: int | None = None,
    eos_id: int | Sequence[int] | None = None,
    bos_id: int | None = None,
    mask: Bool[Tensor, "batch time"] | None = None,
) -> Speculation:
    r"""Return texts with the distribution of `sample`, in fewer passes of the model.

    The draft guesses `lookahead` tokens. The model reads them in one pass and accepts
    each with `acceptance`, as long as all before it were. After the last accepted
    guess one more token is drawn: from `residual` if a guess was refused, else from
    the model itself. Both distributions are filtered alike.

    Rows are decoded one at a time: each accepts a different number of guesses. Each
    has a seed of its own, so that no row depends on how others end.

    Layers that keep a state cannot take a guess back. With them a model reads its text
    again after each refused guess: the result is the same, and takes longer.

    Source: Leviathan et al. (2023), algorithm 1; filters: section 2.2. The same
    method, found at the same time: Chen et al. (2023), algorithm 2.

    Parameters that are not listed are those of `sample`.

    Args:
        model: The model whose texts are wanted.
        draft: A faster model of the same kind and with the same vocabulary.
        lookahead: How many tokens the draft guesses at a time.

    Returns:
        The new tokens, as from `greedy_decode`; how many guesses were accepted; how
        many there were.

    Raises:
        ValueError: If a number is out of range, the vocabularies differ, or for what
            `sample` refuses.
    """
    model, draft = unwrapped(model), unwrapped(draft)
    check_draft(model, draft)
    check_size("lookahead", lookahead)
    shaping = Shaping(temperature=temperature, top_k=top_k, top_p=top_p)
    source = random_source(generator, seed)
    real = real_tokens("tokens", tokens, mask, model.config.pad_id)
    check_size("the number of texts", tokens.size(0))
    real = torch.ones_like(tokens, dtype=torch.bool) if real is None else real
    shape = tokens.shape[:1]
    seeds = torch.randint(2**62, shape, generator=source, device="cpu").tolist()
    options = {"max_new_tokens": max_new_tokens, "eos_id": eos_id, "bos_id": bos_id}
    options["spare"] = lookahead
    rows = []
    for row, mask_row, row_seed in zip(tokens, real, seeds, strict=True):
        given = {"tokens": row[None], "mask": mask_row[None], **options}
        with continuing(model, **given) as text, continuing(draft, **given) as guess:
            own = torch.Generator("cpu").manual_seed(row_seed)
            rows.append(_Pair(text, guess, shaping, own).write(lookahead))
    return _together(rows, text.fill, tokens.device)


def check_draft(model: object, draft: object) -> None:
    """Check that a draft reads and writes the same as the model."""
    check_writer(model)
    check_writer(draft)
    if reads_source(model) != reads_source(draft):
        raise TypeError(
            "the model and its draft must be of one kind, got "
            f"{type(model).__name__} and {type(draft).__name__}; pass two "
            "encoder-decoders or two decoder-only models."
        )
    if model.config.vocab_size != draft.config.vocab_size:
        raise ValueError(
            "the model and its draft must have one vocabulary, got "
            f"vocab_size={model.config.vocab_size} and "
            f"{draft.config.vocab_size}; take a draft with the same tokenizer."
        )


class _Pair:
    """A text that is written by two models: one guesses, the other checks."""

    def __init__(
        self,
        text: Continuation,
        draft: Continuation,
        shaping: Shaping,
        generator: torch.Generator,
    ) -> None:
        self.text, self.draft, self.shaping = text, draft, shaping
        self.generator = generator

    def write(self, lookahead: int) -> tuple[list[int], int, int]:
        """Return the new tokens, how many guesses were accepted, and how many made."""
        new, accepted, proposed = [], 0, 0
        while (room := self.text.max_new_tokens - len(new)) > 0:
            guesses = min(lookahead, room - 1)  # one more token comes for free
            found = self._round(guesses)
            proposed += guesses
            ends = [n for n, id in enumerate(found, 1) if id in self.text.end_ids]
            if ends:
                end = ends[0]
                return new + found[:end], accepted + min(end, len(found) - 1), proposed
            new, accepted = new + found, accepted + len(found) - 1
        return new, accepted, proposed

    def _round(self, guesses: int) -> list[int]:
        """Guess, check and correct; return the new tokens."""
        place = self.text.length
        offered = self._guess(guesses)  # (guesses + 1, vocab)
        logits = self.text.next_logits(guesses + 1)[0]
        wanted = self.shaping.probabilities(logits)
        chosen = self.text.tokens[0, place : place + guesses]
        chances = acceptance(wanted[:-1], offered[:-1]).gather(1, chosen[:, None])
        refused = (self._uniform(guesses) >= chances[:, 0]).tolist()
        kept = refused.index(True) if True in refused else guesses
        last = residual(wanted[kept, None], offered[kept, None])
        last = draw(last, self._uniform(1))
        for continuation in (self.text, self.draft):
            continuation.truncate(place + kept)
            continuation.append(last)
        return [*chosen[:kept].tolist(), int(last)]

    def _guess(self, guesses: int) -> Float[Tensor, "offered vocab"]:
        """Append guesses to both texts; return what each was drawn from.

        After the last one nothing is offered: its distribution is all zeros.
        """
        vocab = self.text.model.config.vocab_size
        offered = []
        for _ in range(guesses):
            logits = self.draft.next_logits()[:, 0]
            offered.append(self.shaping.probabilities(logits))
            guess = draw(offered[-1], self._uniform(1))
            self.draft.append(guess)
            self.text.append(guess)
        device = self.text.tokens.device
        nothing = torch.zeros(1, vocab, dtype=torch.float64, device=device)
        return torch.cat((*offered, nothing))

    def _uniform(self, count: int) -> Float[Tensor, " count"]:
        """Draw numbers in [0, 1)."""
        return uniform(self.generator, count).to(self.text.tokens.device)


def _together(
    rows: list[tuple[list[int], int, int]], fill: int | None, device: torch.device
) -> Speculation:
    """Return rows of different lengths as one batch."""
    width = max(len(new) for new, _, _ in rows)
    texts = [new + [fill] * (width - len(new)) for new, _, _ in rows]
    counts = torch.tensor([row[1:] for row in rows], device=device)
    return Speculation(torch.tensor(texts, device=device), *counts.unbind(dim=1))
