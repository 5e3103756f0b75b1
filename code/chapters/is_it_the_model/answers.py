"""Properties of the answers to the exercises on checks of a fresh model."""

import torch
from torch import Tensor, nn

from chapters.exercises import Property
from chapters.start import gaussian
from transformer.config import TransformerConfig
from transformer.models import Transformer, count_parameters

CASES = {"fine", "start", "leak", "softmax"}
PADS = 0, 3  # the id of padding is an argument
CONFIG = TransformerConfig(
    vocab_size=11, num_encoder_layers=1, num_decoder_layers=1, d_model=4, num_heads=2
)


def labels(*rows: list[int]) -> Tensor:
    """Return labels on the default device."""
    return torch.tensor(rows)


def scores(batch: int, time: int) -> Tensor:
    """Return a score for each of seven tokens."""
    return 3 * gaussian(batch, time, 7, seed=batch)


def mean_loss(logits: Tensor, wanted: Tensor, pad: int) -> Tensor:
    """Return the mean cross-entropy of the labels that are no padding."""
    losses = -logits.log_softmax(dim=-1).gather(-1, wanted.unsqueeze(-1)).squeeze(-1)
    return losses[wanted != pad].mean()


def is_loss(loss, logits: Tensor, wanted: Tensor, pad: int = PADS[0]) -> bool:
    """Return whether an answer gives the right loss."""
    expected = mean_loss(logits, wanted, pad)  # before an answer changes the labels
    return torch.isclose(torch.as_tensor(loss(logits, wanted, pad)), expected).item()


def leaves_out(loss, pad: int) -> bool:
    """Return whether an answer leaves out padding, and nothing else."""
    other = sum(PADS) - pad
    return is_loss(
        loss, scores(2, 3), labels([1, other, pad], [4, pad, pad]), pad
    ) and is_loss(loss, scores(2, 3), labels([1, 2, 4], [other] * 3), pad)


def accepts_padding(loss, pad: int) -> bool:
    """Return whether an answer takes batches of which one label counts at least."""
    batches = (
        labels([pad, pad, pad], [4, 5, pad]),
        labels([1, pad, pad], [pad, pad, pad]),
        labels([pad, 1, 2], [pad, pad, 4]),
        labels([pad, pad, pad], [pad, pad, 6]),
    )
    try:
        return all(is_loss(loss, scores(2, 3), batch, pad) for batch in batches)
    except ValueError:
        return False


def keeps_labels(loss, pad: int) -> bool:
    """Return whether an answer leaves the labels that it is given as they are."""
    wanted = labels([1, 2, pad], [4, pad, pad])
    loss(scores(2, 3), wanted, pad)
    return wanted.tolist() == [[1, 2, pad], [4, pad, pad]]


def refuses_padding(loss, pad: int) -> bool:
    """Return whether an answer refuses labels of which none counts."""
    try:
        loss(scores(1, 2), labels([pad, pad]), pad)
    except ValueError:
        return True
    return False


def strided() -> Tensor:
    """Return labels as they come from a shift: a slice that is not contiguous."""
    return labels([1, 2, 3, 4], [5, 6, 1, 2])[:, 1:]


class Table(nn.Module):
    """A module with a buffer and a parameter of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("table", torch.ones(5))
        self.scale = nn.Parameter(torch.ones(2))
        self.linear = nn.Linear(3, 2, bias=False)


def three_parts() -> nn.ModuleDict:
    """Return a module of parts that share nothing.

    The second is frozen, the weight of the third has three axes.
    """
    frozen = nn.Linear(2, 7, bias=False).requires_grad_(False)
    return nn.ModuleDict(
        {"one": nn.Linear(3, 5), "two": frozen, "three": nn.Conv1d(2, 3, 5)}
    )


def sharing() -> nn.ModuleDict:
    """Return a module whose second and last part use the matrix of the first.

    The second has nothing of its own, the third nothing at all. The last one uses a
    matrix of its own twice.
    """
    first, second = nn.Embedding(5, 3), nn.Linear(3, 5, bias=False)
    second.weight = first.weight
    last = nn.Sequential(nn.Linear(3, 5), nn.Linear(3, 2), nn.Linear(3, 2, bias=False))
    last[0].weight, last[2].weight = first.weight, last[1].weight
    parts = {"first": first, "second": second, "third": nn.ReLU(), "last": last}
    return nn.ModuleDict(parts)


def pair(kind: str) -> nn.ModuleDict:
    """Return an embedding and a head, tied in some way or not."""
    parts = {"embedding": nn.Embedding(7, 3), "head": nn.Linear(3, 7, bias=False)}
    weight = parts["embedding"].weight
    if kind == "tied":
        parts["head"].weight = weight
    if kind == "cloned":
        parts["head"].weight = nn.Parameter(weight.detach().clone())
    if kind == "shared data":
        parts["head"].weight.data = weight.data
    return nn.ModuleDict(parts)


def within() -> nn.Module:
    """Return a module whose tied matrix lies deep inside, under other names."""
    inner = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 3, bias=False))
    inner[2].weight = inner[0].weight
    return nn.Sequential(nn.Linear(2, 3), inner)


def repeated() -> nn.Module:
    """Return a module in which one layer stands in two places."""
    layer = nn.Linear(3, 3)
    return nn.Sequential(layer, nn.ReLU(), layer)


def with_buffers() -> nn.Module:
    """Return a module with buffers, whose two parts share nothing."""
    return nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))


def one_bias() -> nn.Module:
    """Return a module of two parts that share their bias and nothing else."""
    parts = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 4))
    parts[1].bias = parts[0].bias
    return parts


def zeros() -> nn.Module:
    """Return a module with two parameters of equal numbers."""
    return nn.Sequential(nn.LayerNorm(4), nn.LayerNorm(4))


EXERCISES = {
    "ex-model-clone": [
        Property(
            "a head that is the embedding must be found.",
            lambda is_tied: bool(is_tied(pair("tied"))),
        ),
        Property(
            "an embedding and a head of their own are not tied.",
            lambda is_tied: not is_tied(pair("apart")),
        ),
        Property(
            "a copy is not tied, though its numbers are equal.",
            lambda is_tied: not is_tied(pair("cloned")) and not is_tied(zeros()),
        ),
        Property(
            "two parameters that share their memory are still two.",
            lambda is_tied: not is_tied(pair("shared data")),
        ),
        Property(
            "any two parts may be tied, whatever their names, frozen or not; and a "
            "layer that stands in two places serves both.",
            lambda is_tied: all(
                is_tied(model)
                for model in (within(), within().requires_grad_(False), repeated())
            ),
        ),
        Property(
            "a buffer is no parameter: a batch norm has three, and ties nothing.",
            lambda is_tied: not is_tied(with_buffers()),
        ),
        Property(
            "any parameter may serve two parts, a bias too.",
            lambda is_tied: bool(is_tied(one_bias())),
        ),
    ],
    "ex-transformer-count": [
        Property(
            "an attention has four square matrices and no biases here.",
            lambda attention, feed_forward, total: attention == 256,
        ),
        Property(
            "a feed-forward network has two matrices and two biases.",
            lambda attention, feed_forward, total: feed_forward == 280,
        ),
        Property(
            "count the matrix of tokens, three attentions, two feed-forward networks "
            "and five norms.",
            lambda attention, feed_forward, total: total == 2208,
        ),
    ],
    "ex-transformer-loss": [
        Property(
            "the mean cross-entropy of labels without padding must be right; does "
            "`cross_entropy` want logits or probabilities?",
            lambda loss: is_loss(loss, scores(2, 3), labels([1, 2, 3], [4, 5, 6])),
        ),
        Property(
            "logits of some hundreds must not make it infinite or nan: their "
            "exponentials are too large or too small for a float.",
            lambda loss: all(
                is_loss(loss, size * scores(2, 3), labels([1, 2, 3], [4, 5, 6]))
                for size in (100, 1000)
            ),
        ),
        Property(
            "labels that are a slice must work too.",
            lambda loss: is_loss(loss, scores(2, 3), strided()),
        ),
        Property(
            "labels that are `pad` must not count, whichever id that is, and all "
            "others must.",
            lambda loss: all(leaves_out(loss, pad) for pad in PADS),
        ),
        Property(
            "labels of which none counts must raise a ValueError.",
            lambda loss: all(refuses_padding(loss, pad) for pad in PADS),
        ),
        Property(
            "a batch of which some label counts must not be refused, though a whole "
            "row is padding, or each row begins with it.",
            lambda loss: all(accepts_padding(loss, pad) for pad in PADS),
        ),
        Property(
            "the labels must stay as they are, for a slice belongs to a larger tensor.",
            lambda loss: all(keeps_labels(loss, pad) for pad in PADS),
        ),
    ],
    "ex-transformer-breakdown": [
        Property(
            "each part must be told its number of parameters, of any shape, biases and "
            "frozen ones included.",
            lambda breakdown: (
                breakdown(three_parts()) == {"one": 20, "two": 14, "three": 33}
            ),
        ),
        Property(
            "a buffer is no parameter, and a parameter of the module itself belongs to "
            "no part.",
            lambda breakdown: breakdown(Table()) == {"linear": 6},
        ),
        Property(
            "a matrix that two parts share must be counted once, and two parameters "
            "that share their memory are two.",
            lambda breakdown: (
                sum(breakdown(Transformer(CONFIG)).values())
                == count_parameters(Transformer(CONFIG))
                and breakdown(pair("shared data")) == {"embedding": 21, "head": 21}
            ),
        ),
        Property(
            "what is shared must count for the first part that has it, and a part "
            "with nothing left must not appear.",
            lambda breakdown: breakdown(sharing()) == {"first": 15, "last": 13},
        ),
    ],
    "ex-transformer-diagnose": [
        Property(
            "answer with 'fine', 'start', 'leak' or 'softmax'.",
            lambda *words: len(words) == 4 and set(words) <= CASES,
        ),
        Property(
            "what is the logarithm of 8,000?",
            lambda first, second, third, fourth: first == "fine",
        ),
        Property(
            "which logits make a loss that is far above the logarithm of the "
            "vocabulary size, before any training?",
            lambda first, second, third, fourth: second == "start",
        ),
        Property(
            "how can a model know what nobody can know?",
            lambda first, second, third, fourth: third == "leak",
        ),
        Property(
            "what does `cross_entropy` do with numbers from 0 to 1?",
            lambda first, second, third, fourth: fourth == "softmax",
        ),
    ],
}

FIELDS = {
    "ex-transformer-count": (256, 280, 2208),
    "ex-transformer-diagnose": 4 * (CASES,),
}
