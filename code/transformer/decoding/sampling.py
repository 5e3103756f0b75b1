"""Sampling: the next token is drawn from its distribution."""

from collections.abc import Callable, Sequence

import torch
from jaxtyping import Bool, Float, Integer
from torch import Tensor

from transformer.checks.values import check_size
from transformer.decoding.continuation import Continuation, MaybeWrapped, continuing
from transformer.decoding.filters import mark_seen
from transformer.decoding.growth import Watch, grow
from transformer.decoding.shaping import Shaping, draw


def random_source(
    generator: torch.Generator | None, seed: int | None
) -> torch.Generator:
    """Return the given generator, one of a given seed, or a fresh one."""
    check_randomness(generator, seed)
    if generator is None:
        generator = torch.Generator("cpu")
        if seed is None:
            generator.seed()
        else:
            generator.manual_seed(int(seed))
    return generator


def uniform(generator: torch.Generator, *size: int) -> Float[Tensor, "..."]:
    """Draw numbers in [0, 1) on the CPU, whatever the default device is."""
    return torch.rand(size, generator=generator, dtype=torch.float64, device="cpu")


def sample(
    model: MaybeWrapped,
    tokens: Integer[Tensor, "batch time"],
    *,
    max_new_tokens: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    min_p: float | None = None,
    repetition_penalty: float | None = None,
    generator: torch.Generator | None = None,
    seed: int | None = None,
    eos_id: int | Sequence[int] | None = None,
    bos_id: int | None = None,
    mask: Bool[Tensor, "batch time"] | None = None,
    use_cache: bool = True,
    compile: bool = False,
    watch: Watch | None = None,
) -> Integer[Tensor, "batch new"]:
    r"""Return a text whose tokens are drawn one after the other.

    $$y_t \sim p(\cdot \mid y_1, \dots, y_{t-1})$$

    after the filters that are asked for. All random numbers are drawn at the start, on
    the CPU: one for each row and new token. So every device draws the same, and what a
    row draws does not depend on when others end. PyTorch's global generator is neither
    read nor changed.

    Source: Holtzman et al. (2019), section 3; each filter has its own.

    Parameters that are not listed are those of `Continuation`.

    Args:
        temperature: Flattens above 1, sharpens below; see `apply_temperature`.
        top_k: Draw from the most probable tokens only; see `keep_top_k`.
        top_p: Draw from the nucleus only; see `keep_top_p`.
        min_p: Draw from tokens with this share of the largest probability only; see
            `keep_min_p`.
        repetition_penalty: Above 1, against tokens that the prompt or the text
            already holds; see `penalize_repetition`.
        generator: Where the random numbers come from; on the CPU.
        seed: Or the seed of a generator; other numbers each time when neither is
            given.
        watch: A function that is shown the tokens after each step, one for each row.

    Returns:
        As `greedy_decode`.

    Raises:
        ValueError: If a number is out of range, or a generator and a seed are given;
            and as `Continuation`.
    """
    shaping = Shaping(
        temperature=temperature,
        top_k=top_k,
        top_p=top_p,
        min_p=min_p,
        repetition_penalty=repetition_penalty,
    )
    source = random_source(generator, seed)
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
        return grow(continuation, _chooser(continuation, shaping, source), watch)


def _chooser(
    continuation: Continuation, shaping: Shaping, source: torch.Generator
) -> Callable[[Tensor], Tensor]:
    """Return the function that draws the next token of each row."""
    batch, new = continuation.tokens.size(0), continuation.max_new_tokens
    numbers = uniform(source, new, batch).to(continuation.tokens.device)

    def choose(logits: Tensor) -> Tensor:
        seen = None
        if shaping.repetition_penalty is not None:
            read = continuation.tokens[:, : continuation.length]
            seen = mark_seen(read, logits.size(-1))
        place = continuation.index.clamp(0, new - 1)[None]  # (1, batch)
        probabilities = shaping.probabilities(logits, seen)
        return draw(probabilities, numbers.gather(0, place)[0])

    return choose


# Checks


def check_randomness(generator: torch.Generator | None, seed: object) -> None:
    """Check that at most one of `generator` and `seed` is given, and that it is valid.

    A generator must draw on the CPU.
    """
    if generator is not None and seed is not None:
        raise ValueError(
            "random numbers must come from one place, got a generator and "
            f"seed={seed!r}; pass one of them."
        )
    if generator is not None and generator.device.type != "cpu":
        raise ValueError(
            "random numbers are drawn on the CPU, so that every device samples the "
            f"same, got a generator on {generator.device}; make one without device."
        )
    if seed is not None:
        check_size("seed", seed, minimum=0, maximum=None)
