"""What a real language model makes of the first words of a famous book."""

from collections.abc import Callable, Sequence
from functools import partial

import torch
from jaxtyping import Float, Integer
from torch import Tensor, nn

from chapters.laboratory.real_model import as_ids
from transformer.decoding import keep_min_p, keep_top_k, keep_top_p

PROMPT = "Alice was beginning to get very tired"
# Lewis Carroll, Alice's Adventures in Wonderland, 1865: how the sentence goes on.
CARROLL = (
    " of sitting by her sister on the bank, and of having nothing to do: once or twice"
    " she had peeped into the book her sister was reading, but it had no pictures or"
    " conversations in it, “and what"
)
SENTENCE = (
    " I was going to the gym, but I had to leave."  # what greedy decoding repeats
)
STEPS = 45  # tokens of a text; Carroll's has as many
Choose = Callable[[Float[Tensor, "batch vocab"]], Integer[Tensor, " batch"]]


@torch.no_grad()
def write_cached(
    model: nn.Module,
    ids: Integer[Tensor, "batch time"],
    choose: Choose,
    *,
    steps: int = STEPS,
) -> Integer[Tensor, "batch new"]:
    """Write as the loop of the page does, with a cache: nothing is read twice.

    Args:
        model: A decoder-only language model.
        ids: The prompts.
        choose: Takes the logits of the next token, returns one id for each row.
        steps: How many tokens to write.
    """
    cache = model.new_cache(ids.size(0), max_len=ids.size(1) + steps)
    unread, written = ids, []
    for _ in range(steps):
        logits = model(unread, cache=cache)[:, -1]
        unread = choose(logits).to(ids.device)[:, None]
        written.append(unread)
    return torch.cat(written, dim=1)


@torch.no_grad()
def distributions(
    model: nn.Module, prompt: Integer[Tensor, "1 time"], text: Sequence[int]
) -> Float[Tensor, "new vocab"]:
    """Return what the model gives all tokens at each place of a text.

    Args:
        model: A decoder-only language model.
        prompt: What stands before the text.
        text: The ids of the text.
    """
    ids = torch.tensor([text], device=prompt.device)
    logits = model(torch.cat((prompt, ids), dim=1)[:, :-1])
    return logits[0, prompt.size(1) - 1 :].double().softmax(dim=-1)


def chances(
    model: nn.Module, prompt: Integer[Tensor, "1 time"], text: Sequence[int]
) -> Float[Tensor, " new"]:
    """Return the probability that the model gives each token of a text.

    Args:
        model: A decoder-only language model.
        prompt: What stands before the text.
        text: The ids of the text.
    """
    found = distributions(model, prompt, text)
    return found[torch.arange(len(text)), torch.tensor(text)]


def typical(chances: Float[Tensor, " new"]) -> float:
    """Return the geometric mean of the chances of a text's tokens.

    Args:
        chances: The probability of each token of a text.
    """
    return chances.log().mean().exp().item()


def rounds(
    tokenizer: object, text: Sequence[int], chances: Float[Tensor, " new"]
) -> list[tuple[int, float]]:
    """Return where a text has written `SENTENCE`, and how probable it was there.

    Args:
        tokenizer: What has encoded the text.
        text: The ids of the text.
        chances: The probability of each of them.
    """
    wanted = tokenizer.encode(SENTENCE)
    size = len(wanted)
    return [
        (start, chances[start : start + size].prod().item())
        for start in range(len(text) - size + 1)
        if list(text[start : start + size]) == wanted
    ]


def traces(
    found: Float[Tensor, "new vocab"], text: Sequence[int]
) -> dict[str, float | int]:
    """Return the traces that a rule of choosing has left in a text.

    Args:
        found: What the model gave all tokens at each place.
        text: The ids of the tokens that were chosen there.

    Returns:
        rank: The worst rank of a token, 1 for the most probable one.
        before: The most that the tokens before it in the ranking had together.
        share: The smallest share that a token has of the largest probability.
    """
    chosen = found.gather(1, torch.tensor(text)[:, None])  # (new, 1)
    above = found > chosen
    return {
        "rank": int(above.sum(dim=-1).max()) + 1,
        "before": found.where(above, 0.0).sum(dim=-1).max().item(),
        "share": (chosen[:, 0] / found.amax(dim=-1)).min().item(),
    }


def draws(
    model: nn.Module,
    tokenizer: object,
    temperatures: Sequence[float],
    seeds: Sequence[int],
    cuts: Sequence[Callable[[Tensor], Tensor]] | None = None,
    *,
    steps: int | None = None,
) -> list[list[int]]:
    """Return texts that go on with `PROMPT`, one for each temperature and seed.

    A text is that which the page's loop draws by itself with this seed.

    Args:
        model: A decoder-only language model.
        tokenizer: Its tokenizer.
        temperatures: What the logits of each text are divided by.
        seeds: Of the random numbers of each text.
        cuts: What is done after that to the logits of each text, (1, vocab).
        steps: How many tokens of each; as many as `STEPS` if not given.
    """
    dice = [torch.Generator("cpu").manual_seed(seed) for seed in seeds]
    cuts = cuts or [lambda logits: logits] * len(dice)

    def choose(logits: Tensor) -> Tensor:
        drawn = []
        for row, divisor, cut, die in zip(
            logits.split(1), temperatures, cuts, dice, strict=True
        ):
            shares = cut(row / divisor).softmax(dim=-1).cpu()
            drawn.append(torch.multinomial(shares, 1, generator=die)[0])
        return torch.cat(drawn)

    prompts = as_ids(tokenizer, PROMPT).expand(len(dice), -1)
    return write_cached(model, prompts, choose, steps=steps or STEPS).tolist()


def suspects(model: nn.Module, tokenizer: object) -> dict[str, list[int]]:
    """Return five texts, each written by another rule; who wrote what is a riddle.

    Args:
        model: A decoder-only language model.
        tokenizer: Its tokenizer.
    """
    cuts = {
        "A": partial(keep_min_p, p=0.1),
        "B": lambda logits: logits,
        "C": partial(keep_top_k, k=5),
        "D": partial(keep_top_k, k=1),
        "E": partial(keep_top_p, p=0.9),
    }
    count = len(cuts)
    texts = draws(model, tokenizer, [1.0] * count, [0] * count, [*cuts.values()])
    return dict(zip(cuts, texts, strict=True))


def one_in(chance: float) -> str:
    """Return a chance in words, with two digits, such as "1 in 40,000".

    Args:
        chance: A probability above 0.
    """
    times = float(f"{1 / chance:.1e}")
    return f"1 in {times:,.{int(times < 10)}f}"


def shown(text: str) -> str:
    """Return a text that goes on, as one line; line breaks are left out.

    Args:
        text: What was written.
    """
    return " ".join(f"…{text}".split())
