"""Beam search: follow several texts at once, and keep the best that ended."""

from collections.abc import Sequence
from numbers import Real
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Integer
from torch import Tensor

from transformer.checks.values import check_positive, check_size
from transformer.decoding.continuation import Continuation, MaybeWrapped, continuing
from transformer.decoding.filters import top_k_mask
from transformer.decoding.growth import cut


class Hypotheses(NamedTuple):
    """The best texts of each row, best first, and their scores."""

    tokens: Integer[Tensor, "batch num_results new"]
    scores: Float[Tensor, "batch num_results"]


def length_divisor(
    length: int | Float[Tensor, "..."], length_penalty: float
) -> float | Float[Tensor, "..."]:
    r"""Return the divisor of the log-probability of a text.

    $$\mathrm{lp}(Y) = \frac{(5 + |Y|)^\alpha}{(5 + 1)^\alpha}$$

    Source: Wu et al. (2016), equation (14).

    Args:
        length: Number of tokens $|Y|$, the end included.
        length_penalty: The exponent $\alpha$; 0 for no influence of the length.
    """
    check_length_penalty(length_penalty)
    return ((5 + length) / 6) ** length_penalty


def beam_search(
    model: MaybeWrapped,
    tokens: Integer[Tensor, "batch time"],
    *,
    beam_width: int,
    max_new_tokens: int,
    length_penalty: float = 0.6,
    eos_id: int | Sequence[int] | None = None,
    bos_id: int | None = None,
    mask: Bool[Tensor, "batch time"] | None = None,
    use_cache: bool = True,
    compile: bool = False,
    num_results: int = 1,
) -> Hypotheses:
    r"""Return the texts with the best scores among those that a beam has followed.

    $$s(Y) = \frac{\log P(Y)}{\mathrm{lp}(Y)}, \qquad
    \log P(Y) = \sum_t \log p(y_t \mid y_1, \dots, y_{t-1})$$

    At each step every text of the beam is continued by every token. Of the best
    `beam_width` results those that end are kept; the best `beam_width` that do not end
    are the next beam. What has not ended after `max_new_tokens` competes as it is. A
    row stops when no text of its beam can still beat the worst result that would be
    returned: $\log P$ only falls, and $\mathrm{lp}$ is at most that of the greatest
    length. So stopping early changes nothing.

    A beam of width 1 holds one text only, and is done when this ends: it is greedy
    decoding. Of equal sums the earlier text and the smaller id win. Sums are taken in
    float64.

    Source: Sutskever et al. (2014), section 3.2; the score: Wu et al. (2016), section
    7, equation (14), without the coverage penalty; $\alpha = 0.6$ and a width of 4:
    Vaswani et al. (2017), section 6.1. Not from there: a beam stays as wide as it was
    when texts end (there it shrinks), and the bound at which we stop.

    Parameters that are not listed are those of `Continuation`.

    Args:
        beam_width: How many texts are followed for each row.
        length_penalty: The exponent $\alpha$ of `length_divisor`, at least 0.
        num_results: How many texts to return for each row, at most `beam_width`.

    Returns:
        The new tokens, filled up as by `greedy_decode`, and the scores in float64. A
        text that does not exist, because there are fewer, has the score -inf.
    """
    check_beam(beam_width, num_results)
    check_length_penalty(length_penalty)
    with continuing(
        model,
        tokens,
        max_new_tokens=max_new_tokens,
        eos_id=eos_id,
        bos_id=bos_id,
        mask=mask,
        use_cache=use_cache,
        compile=compile,
    ) as continuation:
        return Beams(continuation, beam_width, num_results, length_penalty).search()


class Beams:
    """The beam of each row, and the best of the texts that have ended.

    In the continuation the `width` texts of a row follow one another.
    """

    def __init__(
        self, text: Continuation, width: int, num_results: int, length_penalty: float
    ) -> None:
        self.continuation, self.width, self.new = text, width, text.max_new_tokens
        self.first_end = text.length + self.new
        self.batch = text.tokens.size(0)
        lengths = torch.arange(1, self.new + 1, device=text.tokens.device).double()
        self.divisors = length_divisor(lengths, length_penalty)  # of each length
        # At first there is one text; the others are its copies and must not count.
        self.sums = self.divisors.new_full((self.batch, width), -torch.inf)
        self.sums[:, 0] = 0.0
        self.scores = self.sums.new_full((self.batch, num_results), -torch.inf)
        self.texts = text.tokens.new_zeros(self.batch, num_results, self.new)

    def search(self) -> Hypotheses:
        """Step until no row has a text to follow; return the best that have ended."""
        rows = torch.arange(self.batch, device=self.sums.device)
        rows = rows.repeat_interleave(self.width)  # each prompt is read once
        logits = self.continuation.next_logits()[rows, 0]
        self.continuation.select(rows)
        for step in range(self.continuation.steps):
            if step > 0:
                logits = self.continuation.next_logits()[:, 0]
            self._step(logits)
            if bool((self.sums == -torch.inf).all()):
                break
        return self._results()

    def _step(self, logits: Tensor) -> None:
        """Continue every text by every token, and choose what goes on."""
        values, parents, ids = self._candidates(logits)  # (batch, candidates)
        index = self.continuation.index.view(self.batch, -1)[:, :1]  # (batch, 1)
        in_prompt = index < 0
        ended = self.continuation.are_ends(ids)
        if self.continuation.end_ids:
            self._keep_ended(values, parents, ids, ended & ~in_prompt, index)
        going = values.masked_fill(ended, -torch.inf)
        best = best_of(going, self.width)  # (batch, width)
        same = torch.arange(self.width, device=best.device).expand_as(best)
        parents = torch.where(in_prompt, same, parents.gather(1, best))
        self.sums = torch.where(in_prompt, self.sums, going.gather(1, best))
        first = torch.arange(self.batch, device=best.device)[:, None] * self.width
        self.continuation.select((first + parents).flatten())
        self.continuation.append(ids.gather(1, best).flatten())
        self._stop()

    def _candidates(self, logits: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the best continuations: their sums, parents and tokens.

        Of each text at most as many end as there are ends, so enough of these go on.
        """
        vocab = logits.size(-1)
        steps = logits.double().log_softmax(dim=-1).view(self.batch, self.width, vocab)
        sums = (self.sums[..., None] + steps).flatten(start_dim=1)
        count = (1 + max(len(self.continuation.end_ids), 1)) * self.width
        count = 1 if self.width == 1 else min(count, sums.size(1))
        best = best_of(sums, count)
        return sums.gather(1, best), best // vocab, best % vocab

    def _keep_ended(
        self, values: Tensor, parents: Tensor, ids: Tensor, ended: Tensor, index: Tensor
    ) -> None:
        """Keep those of the best `width` continuations that end."""
        place = index.clamp(0, self.new - 1)  # (batch, 1)
        scores = values.masked_fill(~ended, -torch.inf) / self.divisors[place]
        texts = take(self._new_texts(), parents[:, : self.width])  # (batch, width, new)
        ids = ids[:, : self.width, None]
        texts = texts.scatter(2, place[:, None].expand_as(ids), ids)
        self._keep(scores[:, : self.width], texts)

    def _keep(self, scores: Tensor, texts: Tensor) -> None:
        """Merge texts into the results, of which only the best stay."""
        scores = torch.cat((self.scores, scores), dim=1)
        best = best_of(scores, self.scores.size(1))
        self.scores = scores.gather(1, best)
        self.texts = take(torch.cat((self.texts, texts), dim=1), best)

    def _stop(self) -> None:
        """Take the texts that are full, and drop those that cannot win any more."""
        if self.continuation.length >= self.first_end:
            full = self.continuation.index.view(self.batch, -1) >= self.new
            scores = self.sums / self.divisors[-1]
            self._keep(scores.masked_fill(~full, -torch.inf), self._new_texts())
            self.sums = self.sums.masked_fill(full, -torch.inf)
        most = self.sums.max(dim=1).values / self.divisors[-1]  # never reached again
        lost = most <= self.scores[:, -1]
        self.sums = self.sums.masked_fill(lost[:, None], -torch.inf)

    def _new_texts(self) -> Tensor:
        """Return the new tokens of all texts of each row."""
        return self.continuation.new_tokens().view(self.batch, -1, self.new)

    def _results(self) -> Hypotheses:
        """Return the kept texts, filled up after their ends."""
        end_ids, fill = self.continuation.end_ids, self.continuation.fill
        missing = (self.scores == -torch.inf)[..., None]
        if not end_ids:
            return Hypotheses(self.texts.masked_fill(missing, fill or 0), self.scores)
        texts = self.texts.masked_fill(missing, end_ids[0]).flatten(end_dim=1)
        ends = self.continuation.are_ends(texts)
        texts = cut(texts, ends, fill).view(*self.scores.shape, -1)
        return Hypotheses(texts.masked_fill(missing, fill), self.scores)


def best_of(
    scores: Float[Tensor, "batch candidates"], count: int
) -> Integer[Tensor, "batch count"]:
    """Return the places of the best scores, best first; of equal ones the first."""
    places = top_k_mask(scores, count).nonzero()[:, 1].view(-1, count)
    order = scores.gather(1, places).sort(dim=1, descending=True, stable=True).indices
    return places.gather(1, order)


def take(
    texts: Integer[Tensor, "batch texts new"], places: Integer[Tensor, "batch chosen"]
) -> Integer[Tensor, "batch chosen new"]:
    """Return the chosen texts of each row."""
    return texts.gather(1, places[..., None].expand(-1, -1, texts.size(2)))


# Checks


def check_beam(beam_width: object, num_results: object) -> None:
    """Check that a beam has texts, and at least as many as are asked for."""
    check_size("beam_width", beam_width)
    check_size("num_results", num_results)
    if num_results > beam_width:
        raise ValueError(
            f"num_results must be at most beam_width={beam_width}, got {num_results}; "
            "widen the beam or ask for fewer."
        )


def check_length_penalty(length_penalty: object) -> None:
    """Check that the exponent of a length is 0 or more."""
    is_number = isinstance(length_penalty, Real)
    if not is_number or length_penalty != 0 or isinstance(length_penalty, bool):
        check_positive("length_penalty, if not 0,", length_penalty)
