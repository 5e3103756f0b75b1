"""Beam search: follow several texts at once, and keep the best that ended."""

from jaxtyping import Bool, Integer
from torch import Tensor

from transformer.decoding.beams import Beams, Hypotheses
from transformer.decoding.continuation import Continuation
from transformer.decoding.doors import (
    GenerativeModel,
    check_beam,
    check_end,
    check_length_penalty,
)
from transformer.models import evaluating


def beam_search(
    model: GenerativeModel,
    tokens: Integer[Tensor, "batch time"],
    *,
    beam_width: int,
    max_new_tokens: int,
    length_penalty: float = 0.6,
    eos_id: int | None = None,
    bos_id: int | None = None,
    mask: Bool[Tensor, "batch time"] | None = None,
    use_cache: bool = True,
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

    Args:
        model: An encoder-decoder or a decoder-only model.
        tokens: The source, or the prompt; prompts are padded on the right.
        beam_width: How many texts are followed for each row.
        max_new_tokens: How many tokens each text gets at most.
        length_penalty: The exponent $\alpha$ of `length_divisor`, at least 0.
        eos_id: The token that ends a text; None to go on to `max_new_tokens`.
        bos_id: The token that starts a target; for an encoder-decoder only.
        mask: True for real tokens; made from `pad_id` when not given.
        use_cache: Whether to keep keys and values; the result is the same without.
        num_results: How many texts to return for each row, at most `beam_width`.

    Shape:
        tokens, mask: (batch, time).

    Returns:
        The new tokens, filled up as by `greedy_decode`, and the scores in float64. A
        text that does not exist, because there are fewer, has the score -inf.

    Raises:
        TypeError: If an argument has the wrong type or dtype.
        ValueError: If a number is out of range, or for what `greedy_decode` refuses.
    """
    check_beam(beam_width, num_results)
    check_length_penalty(length_penalty)
    check_end(model, eos_id)
    with evaluating(model):
        continuation = Continuation(
            model,
            tokens,
            max_new_tokens=max_new_tokens,
            bos_id=bos_id,
            mask=mask,
            use_cache=use_cache,
        )
        beams = Beams(continuation, beam_width, num_results, length_penalty, eos_id)
        return beams.search()
