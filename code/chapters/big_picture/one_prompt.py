"""What a language model makes of one prompt, layer by layer and place by place.

Layer 0 is the embedding, and a vector "after layer 0" the one that enters layer 1.
"""

from collections.abc import Sequence
from functools import lru_cache

import torch
from jaxtyping import Float
from torch import Tensor, nn

from chapters.laboratory.real_model import (
    as_ids,
    next_logits,
    next_logits_of_all,
    streams_of,
)
from transformer.layers import causal_mask


def parts_with_depths(model: nn.Module) -> list[nn.Module]:
    """Return the embedding and the layers, whose outputs are the streams."""
    return [model.embedding, *model.decoder.layers]


@torch.no_grad()
def read_through(
    model: nn.Module, tokenizer: object, text: str
) -> Float[Tensor, "depth time d_model"]:
    """Return the vectors of all tokens, as embedded and after each layer.

    Args:
        model: A decoder-only language model.
        tokenizer: Its tokenizer.
        text: What it reads.
    """
    return streams_of(model, as_ids(tokenizer, text))[:, 0]


@lru_cache(maxsize=1)  # the same texts are asked about one exchange after another
def read_all(
    model: nn.Module, tokenizer: object, texts: tuple[str, ...]
) -> Float[Tensor, "depth texts time d_model"]:
    """Return what `read_through` does for several texts of as many tokens."""
    ids = torch.cat([as_ids(tokenizer, text) for text in texts])
    return streams_of(model, ids)


@torch.no_grad()
def guesses(
    model: nn.Module, vectors: Float[Tensor, "rows d_model"]
) -> Float[Tensor, "rows vocab"]:
    """Return what the model's own last step makes of each vector: probabilities."""
    return model.head(model.decoder.norm(vectors[None]))[0].softmax(dim=-1)


@torch.no_grad()
def swap_everywhere(
    model: nn.Module, tokenizer: object, text: str, other: str, answer: str
) -> Float[Tensor, "time depth"]:
    """Return how probable an answer is when one vector comes from another text.

    Args:
        model: A decoder-only language model.
        tokenizer: Its tokenizer.
        text: What it reads.
        other: Where the vectors come from, one at a time; a text of as many tokens.
        answer: A word that is one token.

    Returns:
        A row for each place, a column for the embedding and for each layer.
    """
    streams = read_through(model, tokenizer, other)
    (wanted,) = tokenizer.encode(answer)
    each = torch.arange(streams.size(1))
    entering = {}
    for depth, own in enumerate(read_through(model, tokenizer, text)):
        copies = own.expand(len(each), -1, -1)  # one for each place
        entering[depth] = copies.index_put((each, each), streams[depth])
    shares = next_logits_of_all(model, entering).softmax(dim=-1)[:, wanted]
    return shares.unflatten(0, (len(entering), len(each))).T


@torch.no_grad()
def silence_each(
    model: nn.Module, tokenizer: object, text: str, *, layers: Sequence[int] = ()
) -> Float[Tensor, "layers heads vocab"]:
    """Return the probabilities of the next token when one head alone is silent.

    Args:
        model: A decoder-only language model.
        tokenizer: Its tokenizer.
        text: What it reads.
        layers: In which layers, from 1; without them in each.

    Returns:
        A row for each head of each of the layers.
    """
    each = torch.arange(model.config.num_heads)
    below = read_through(model, tokenizer, text)

    def silence(part: nn.Module, inputs: Sequence[Tensor]) -> tuple[Tensor]:
        heads = inputs[0].unflatten(-1, (len(each), -1)).clone()
        heads[each, :, each] = 0  # in the first copy the first head, and so on
        return (heads.flatten(-2),)

    mask, entering = causal_mask(below.size(1)), {}
    for number in layers or range(1, len(model.decoder.layers) + 1):
        layer = model.decoder.layers[number - 1]
        projection = layer.self_attention.output_projection
        hook = projection.register_forward_pre_hook(silence)
        try:
            copies = below[number - 1].expand(len(each), -1, -1)
            entering[number] = layer(copies, mask=mask)
        finally:
            hook.remove()
    shares = next_logits_of_all(model, entering).softmax(dim=-1)
    return shares.unflatten(0, (len(entering), len(each)))


@torch.no_grad()
def after_exchanges(
    model: nn.Module,
    tokenizer: object,
    text: str,
    exchanges: Sequence[tuple[str, int, int]],
) -> Float[Tensor, " vocab"]:
    """Return the probabilities of the next token after several exchanges in one run.

    Args:
        model: A decoder-only language model.
        tokenizer: Its tokenizer.
        text: What it reads.
        exchanges: For each exchange the text that gives a vector, the place of the
            vector, from 0, and after which layer it is put in.
    """
    given = [
        (place, depth, read_through(model, tokenizer, other)[depth, place])
        for other, place, depth in exchanges
    ]
    hooks = []
    for place, depth, vector in given:

        def put(
            part: nn.Module,
            inputs: tuple,
            output: Tensor,
            place: int = place,
            vector: Tensor = vector,
        ) -> Tensor:
            output = output.clone()
            output[:, place] = vector
            return output

        hooks.append(parts_with_depths(model)[depth].register_forward_hook(put))
    try:
        return model(as_ids(tokenizer, text))[0, -1].softmax(dim=-1)
    finally:
        for hook in hooks:
            hook.remove()


@torch.no_grad()
def follow_the_swap(
    model: nn.Module,
    tokenizer: object,
    frame: str,
    names: Sequence[str],
    *,
    depth: int,
    place: int,
) -> tuple[int, int]:
    """Count over all pairs of names whose answer comes after one exchange.

    Args:
        model: A decoder-only language model.
        tokenizer: Its tokenizer.
        frame: A text with a pair of braces for the name.
        names: What stands there; all give texts of as many tokens.
        depth: After which layer the vector of one text goes into another text.
        place: At which token, from 0.

    Returns:
        How often the first guess is that of the text which gave the vector, and how
        often that of the text which was read.
    """
    streams = read_all(model, tokenizer, tuple(frame.format(name) for name in names))
    top = len(streams) - 1
    answers = next_logits(model, streams[top], depth=top).argmax(dim=-1)
    pairs = torch.cartesian_prod(*2 * [torch.arange(len(names))])
    reads, gives = pairs[pairs[:, 0] != pairs[:, 1]].T
    stream = streams[depth, reads]
    stream[:, place] = streams[depth, gives, place]
    swapped = next_logits(model, stream, depth=depth).argmax(dim=-1)
    follows, stays = (swapped == answers[gives]), (swapped == answers[reads])
    return follows.sum().item(), stays.sum().item()
