"""Properties of the answers to the exercises on the encoder and the decoder."""

from itertools import combinations

import torch
from torch import Tensor

from chapters.exercises import Property
from chapters.start import gaussian

TARGET, SOURCE, D_MODEL, VOCAB = 6, 4, 8, 11
TEXTS = [[1, 2, 3, 4, 5, 6], [6, 10, 4, 0, 2, 10]]


def parts(source: int = SOURCE) -> tuple:
    """Return target, memory, three sublayers and a norm, all easily told apart."""
    x, memory = gaussian(TARGET, D_MODEL, seed=1), gaussian(source, D_MODEL, seed=2)
    gain = gaussian(D_MODEL, seed=5)

    def attend(z: Tensor) -> Tensor:
        return z.cumsum(dim=0)

    def cross(z: Tensor, memory: Tensor) -> Tensor:
        return z * memory.mean(dim=0) + memory.sum()

    def norm(z: Tensor) -> Tensor:
        return z / z.norm(dim=-1, keepdim=True) * gain

    return x, memory, attend, cross, torch.tanh, norm


def expected() -> Tensor:
    """Return what a pre-norm decoder layer makes of these parts."""
    x, memory, attend, cross, feed_forward, norm = parts()
    x = x + attend(norm(x))
    x = x + cross(norm(x), memory)
    return x + feed_forward(norm(x))


def silent(layer) -> Tensor:
    """Return what a layer makes of its input when all sublayers write zeros."""
    x, memory, *_, norm = parts()

    def zero(z: Tensor, *_: Tensor) -> Tensor:
        return 0 * z

    return layer(x, memory, zero, zero, zero, norm)


def hears_the_memory(layer, source: int) -> bool:
    """Return whether cross-attention is given the memory once, and as it is."""
    x, memory, attend, cross, feed_forward, norm = parts(source)
    given = []

    def listen(z: Tensor, memory: Tensor) -> Tensor:
        given.append(memory)
        return cross(z, memory)

    layer(x, memory, attend, listen, feed_forward, norm)
    return len(given) == 1 and torch.equal(given[0], parts(source)[1])


def toy_model(mixing: Tensor):
    """Return a model whose rows of a matrix say what target positions read."""
    table = gaussian(VOCAB, D_MODEL, seed=3)

    def model(source: Tensor, target: Tensor) -> Tensor:
        read = table[target] + table[source].mean(dim=1, keepdim=True)
        return (mixing[: target.size(1), : target.size(1)] @ read).tanh() @ table.T

    return model


def verdict(
    leaks,
    *extra: tuple[int, int],
    target: list[list[int]] = TEXTS,
    size: float = 1.0,
) -> bool:
    """Return what an answer says of a causal model, to which leaks may be added."""
    time = len(target[0])
    mixing = gaussian(time, time, seed=4).tril()
    for row, column in extra:
        mixing[row, column] = size
    source = torch.tensor([[3, 5, 7, 9], [4, 4, 6, 8]])
    return leaks(toy_model(mixing), source, torch.tensor(target))


def catches_each_leak(leaks) -> bool:
    """Return whether an answer finds the leak, whatever single places it connects."""
    return all(verdict(leaks, pair) for pair in combinations(range(TARGET), 2)) and all(
        verdict(leaks, (2, 3), target=[[id] * TARGET] * 2) for id in range(VOCAB)
    )


def finds_one_logit(leaks) -> bool:
    """Return whether an answer finds a leak that moves one logit of the second text."""
    causal = toy_model(gaussian(TARGET, TARGET, seed=4).tril())

    def model(source: Tensor, target: Tensor) -> Tensor:
        logits = causal(source, target)
        logits[1:, 1, 5] += 0.1 * target[1:, 3]
        return logits

    source = torch.tensor([[3, 5, 7, 9], [4, 4, 6, 8]])
    return leaks(model, source, torch.tensor(TEXTS))


def finds_the_last_leak(leaks, time: int) -> bool:
    """Return whether an answer finds, in targets of this length, a leak at the end."""
    target = [[(7 * t + row) % VOCAB for t in range(time)] for row in range(2)]
    found = verdict(leaks, (time - 2, time - 1), target=target)
    return found and verdict(leaks, target=target) is False


def keeps_its_target(leaks) -> bool:
    """Return whether an answer leaves the target that it is given as it is."""
    target = torch.tensor(TEXTS)
    mixing = gaussian(TARGET, TARGET, seed=4).tril()
    leaks(toy_model(mixing), torch.tensor([[3, 5, 7, 9], [4, 4, 6, 8]]), target)
    return target.tolist() == TEXTS


def keeps_its_rows(layer) -> bool:
    """Return whether a layer leaves target rows and memory as they are."""
    x, memory, *others = parts()
    layer(x, memory, *others)
    return torch.equal(x, parts()[0]) and torch.equal(memory, parts()[1])


def black_box(source: int, time: int = TARGET, size: float = 1.0):
    """Return a model that reads the first tokens whole and the others from the left.

    All outputs are about as large as `size`.
    """
    table, mixing = gaussian(VOCAB, D_MODEL, seed=6), gaussian(time, time, seed=7)
    mixing = mixing.tril()
    mixing[:source, :source] = gaussian(source, source, seed=8)

    def model(tokens: Tensor) -> Tensor:
        return (size * mixing @ table[tokens]).tanh()

    return model


def border(answer, source: int, tokens: list[int] = TEXTS[0]) -> int:
    """Return how many tokens an answer takes for the source of a black box."""
    return answer(black_box(source), torch.tensor([tokens]))


def border_of_many(answer, source: int, time: int) -> int:
    """Return how many of more, or fewer, tokens an answer takes for the source."""
    tokens = torch.arange(time)[None] * 7 % VOCAB
    return answer(black_box(source, time), tokens)


def border_of_small(answer, source: int) -> int:
    """Return how many an answer takes for the source where all outputs are small."""
    return answer(black_box(source, size=1e-4), torch.tensor(TEXTS[:1]))


def border_of_a_whisper(answer, source: int) -> int:
    """Return how many an answer takes for the source if the last one says little.

    It moves one feature of the first output, and moves it by some millionths.
    """
    mixed = black_box(source)

    def model(tokens: Tensor) -> Tensor:
        quiet = tokens.clone()
        quiet[:, source - 1] = 0
        outputs = mixed(tokens)
        outputs[:, 0] = mixed(quiet)[:, 0]
        outputs[:, 0, 3] += 1e-6 * tokens[:, source - 1]
        return outputs

    return answer(model, torch.tensor(TEXTS[:1]))


def keeps_its_tokens(answer) -> bool:
    """Return whether an answer leaves the tokens that it is given as they are."""
    tokens = torch.tensor(TEXTS[:1])
    answer(black_box(3), tokens)
    return tokens.tolist() == TEXTS[:1]


EXERCISES = {
    "ex-encdec-by-hand": [
        Property(
            "the weights are in the ratio of the exponentials of the scores.",
            lambda output, masked, shape, count: abs(output - 4) < 1e-6,
        ),
        Property(
            "the weights of the two real positions must sum to one.",
            lambda output, masked, shape, count: abs(masked - 6) < 1e-6,
        ),
        Property(
            "rows are queries, columns are keys: who asks in cross-attention?",
            lambda output, masked, shape, count: tuple(shape) == (7, 9),
        ),
        Property(
            "count two attentions, one feed-forward network and three norms, with all "
            "biases.",
            lambda output, masked, shape, count: count == 260,
        ),
    ],
    "ex-encdec-layer": [
        Property(
            "the result must have the shape of x.",
            lambda f: f(*parts()).shape == (TARGET, D_MODEL),
        ),
        Property(
            "if no sublayer writes anything, x must come out as it went in; what is "
            "missing around the sublayers?",
            lambda f: torch.allclose(silent(f), parts()[0]),
        ),
        Property(
            "cross-attention must be called once, with the memory as it is, shorter "
            "than the target or longer: it has been through the encoder's last norm "
            "already.",
            lambda f: all(hears_the_memory(f, source) for source in (SOURCE, 9)),
        ),
        Property(
            "the three sublayers must come in order, and each must read the norm of "
            "what is there by then.",
            lambda f: torch.allclose(f(*parts()), expected()),
        ),
        Property(
            "x itself must stay as it came: `x += …` writes into the caller's tensor, "
            "`x = x + …` makes a new one.",
            keeps_its_rows,
        ),
    ],
    "ex-encdec-leak": [
        Property(
            "answer with True or False.",
            lambda f: isinstance(verdict(f), bool),
        ),
        Property(
            "a causal model must pass: its earlier logits do not change.",
            lambda f: verdict(f) is False,
        ),
        Property(
            "a model in which all positions see all must be caught.",
            lambda f: verdict(f, *[(0, n) for n in range(1, TARGET)], (3, 4)),
        ),
        Property(
            "a model must be caught in which position 1 alone sees one later token, "
            "the last.",
            lambda f: verdict(f, (1, TARGET - 1)),
        ),
        Property(
            "a model must be caught in which position 3 alone sees position 4; "
            "compare the logits at every position before a change, and try changes "
            "at several places.",
            lambda f: verdict(f, (3, 4)),
        ),
        Property(
            "a model must be caught whatever position sees a later token, position 0 "
            "too and the token next to it; change each place in turn, to another id "
            "than it has.",
            catches_each_leak,
        ),
        Property(
            "it must work for targets of any length, up to the last token.",
            lambda f: all(finds_the_last_leak(f, time) for time in (13, 7, 3, 2)),
        ),
        Property(
            "a small leak is a leak: no logit before a change may move, not even by a "
            "millionth.",
            lambda f: all(
                verdict(f, pair, size=size)
                for pair in ((0, 1), (3, 4), (1, 5))
                for size in (1e-4, 1e-6)
            ),
        ),
        Property(
            "of a batch, one logit of one text may move and no other: change all "
            "texts, and compare all logits.",
            finds_one_logit,
        ),
        Property(
            "the target that it is given must stay as it is; change a copy.",
            keeps_its_target,
        ),
    ],
    "ex-encdec-which": [
        Property(
            'answer four times with "same" or "differs".',
            lambda *answers: len(answers) == 4 and {*answers} <= {"same", "differs"},
        ),
        Property(
            "position 2 sees itself and earlier positions.",
            lambda later, earlier, rows, padding: (
                (later, earlier) == ("same", "differs")
            ),
        ),
        Property(
            "a weighted mean has no order; and who sees a source token that the mask "
            "hides?",
            lambda later, earlier, rows, padding: rows == padding == "same",
        ),
    ],
    "ex-encdec-border": [
        Property(
            "a decoder must give 1: whose output never sees a later token, unless it "
            "is part of the source?",
            lambda f: border(f, 1) == 1,
        ),
        Property(
            f"an encoder that reads {TARGET} tokens must give {TARGET}.",
            lambda f: border(f, TARGET) == TARGET,
        ),
        Property(
            "with a source of 2 to 5 tokens in front of a target, its length must "
            "come out.",
            lambda f: all(border(f, n) == n for n in range(2, TARGET)),
        ),
        Property(
            "it must work whatever the tokens are; change each into another than it "
            "is.",
            lambda f: all(border(f, 3, [id] * TARGET) == 3 for id in range(VOCAB)),
        ),
        Property(
            "the tokens that it is given must stay as they are; change a copy.",
            keeps_its_tokens,
        ),
        Property(
            "it must work for more tokens than six, and for fewer.",
            lambda f: all(
                border_of_many(f, *sizes) == sizes[0]
                for sizes in ((12, 13), (8, 8), (1, 9), (2, 3))
            ),
        ),
        Property(
            "a token that moves the first output is source, however little it does so, "
            "and if in one feature alone.",
            lambda f: (
                all(border_of_small(f, n) == n for n in (1, 4, TARGET))
                and all(border_of_a_whisper(f, n) == n for n in (2, TARGET))
            ),
        ),
    ],
}

FIELDS = {
    "ex-encdec-by-hand": (4, 6, (7, 9), 260),
    "ex-encdec-which": 4 * ({"same", "differs"},),
}
