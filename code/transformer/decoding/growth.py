"""How a text grows: score, choose, append, until every row has ended."""

from collections.abc import Callable

from jaxtyping import Bool, Float, Integer
from torch import Tensor

from transformer.decoding.continuation import Continuation

Watch = Callable[[Integer[Tensor, " batch"]], None]  # is shown a token of each row


def grow(
    continuation: Continuation,
    choose: Callable[[Float[Tensor, "batch vocab"]], Integer[Tensor, " batch"]],
    watch: Watch | None = None,
) -> Integer[Tensor, "batch new"]:
    r"""Append to each row until it has ended: $y_t = \mathrm{choice}(\mathrm{logits})$.

    A row that has ended is fed its last token again, until all rows have ended.

    Source: Sutskever et al. (2014), section 3.2: a text grows until the token that
    ends it.

    Args:
        continuation: The texts and the model that reads them.
        choose: Takes the logits of the next token, returns one id for each row.
        watch: Is shown the tokens after each step.

    Returns:
        The new tokens, the end included, then filled with `pad_id`, or with the first
        `eos_id` in a model without padding; as wide as the longest row.
    """
    end_ids = continuation.end_ids
    full = continuation.prompt_lengths + continuation.max_new_tokens
    finished = full < 0
    for _ in range(continuation.steps):
        chosen = choose(continuation.next_logits()[:, 0])
        if end_ids:
            chosen = chosen.masked_fill(finished, end_ids[0])
            ended = continuation.are_ends(chosen) & (continuation.index >= 0)
            finished = finished | ended
        continuation.append(chosen)
        if watch is not None:
            watch(continuation.tokens[:, continuation.length - 1])
        if end_ids:
            finished = finished | (continuation.length >= full)
            if bool(finished.all()):
                break
    new = continuation.new_tokens()
    if not end_ids:
        return new
    return cut(new, continuation.are_ends(new), continuation.fill)


def cut(
    tokens: Integer[Tensor, "batch new"], ends: Bool[Tensor, "batch new"], fill: int
) -> Integer[Tensor, "batch kept"]:
    """Fill up what follows the first end of each row; drop columns of fill."""
    after = (ends.cumsum(dim=1) - ends.long()) > 0  # (batch, new)
    width = int((~after).sum(dim=1).max())
    return tokens.masked_fill(after, fill)[:, :width]
