"""A text that grows: what a model has read so far, and how it reads on."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache as once

import torch
from jaxtyping import Bool, Float, Integer
from torch import Tensor, nn

from transformer.blocks.inputs import real_tokens
from transformer.checks.tensors import autocasts, check_tokens
from transformer.checks.values import check_size
from transformer.layers.cache import DecoderCache
from transformer.models import (
    DecoderOnlyTransformer,
    Transformer,
    evaluating,
    unwrapped,
)

# Tables of positions end somewhere; all other kinds go on.
TABLES = ("learned", "sinusoidal")
GenerativeModel = Transformer | DecoderOnlyTransformer
MaybeWrapped = GenerativeModel | nn.Module  # a wrapper of one, or one of one's own


class Continuation:
    r"""Hold the tokens of a batch of texts, and give the scores of each next token.

    $$\mathrm{logits}_t = \mathrm{Model}(y_1, \dots, y_{t-1}), \qquad
    y_t = \mathrm{choice}(\mathrm{logits}_t)$$

    Both kinds of model look alike from here. An encoder-decoder reads its source once,
    and its text starts with `bos_id`; a decoder-only model goes on with its prompt.

    Prompts may have different lengths. All rows advance together: as long as the
    prompt of a row goes on, its own next token is read and what was chosen for it is
    dropped. So no row is padded on the left, and each token has its true position.

    Source: ours; the cache: Shazeer (2019), section 2.4.

    Args:
        model: An encoder-decoder or a decoder-only model, or what has their methods.
        tokens: The source, or the prompt; prompts are padded on the right.
        max_new_tokens: How many tokens each row gets at most.
        eos_id: The token that ends a text, or several of which each does; None to go
            on to `max_new_tokens`.
        bos_id: The token that starts a target; for an encoder-decoder only.
        mask: True for real tokens; made from `pad_id` when not given.
        use_cache: Whether to keep keys and values; the result is the same without.
        compile: Whether `torch.compile` makes a program of the step that reads one
            token. That takes some seconds once, and a C++ compiler; without one a
            warning says so, and the text goes on as it would have.
        spare: How many tokens `truncate` may take back from a cache that forgets.

    Shape:
        tokens, mask: (batch, time).

    Raises:
        FloatingPointError: If the scores that the model gives are not finite.
        ValueError: If ids are out of range, a prompt has holes, the text would not
            fit, or `bos_id` is missing or not wanted.
    """

    def __init__(
        self,
        model: MaybeWrapped,
        tokens: Integer[Tensor, "batch time"],
        *,
        max_new_tokens: int,
        eos_id: int | Sequence[int] | None = None,
        bos_id: int | None = None,
        mask: Bool[Tensor, "batch time"] | None = None,
        use_cache: bool = True,
        compile: bool = False,
        spare: int = 0,
    ) -> None:
        check_writer(model)
        check_size("max_new_tokens", max_new_tokens)
        vocab_size = model.config.vocab_size
        real = real_tokens("tokens", tokens, mask, model.config.pad_id)
        check_start(bos_id, vocab_size, wanted=reads_source(model))
        self.end_ids = end_ids(eos_id, vocab_size)
        check_compile(compile, use_cache=use_cache)
        check_size("the number of texts", tokens.size(0))
        check_tokens(tokens, vocab_size)
        tokens = tokens.long()  # the ids to come may not fit into the dtype given
        self.model, self.max_new_tokens = model, max_new_tokens
        self.memory = self.source_mask = None
        if reads_source(model):
            self.source_mask, self.memory = real, model.encode(tokens, source_mask=real)
            tokens, real, mask = torch.full_like(tokens[:, :1], bos_id), None, None
        self._start(tokens, real, marked=mask is not None)
        self.compile, self.spare = compile, spare
        self.cache = self._new_cache() if use_cache else None

    def _start(self, tokens: Tensor, real: Tensor | None, *, marked: bool) -> None:
        """Take the prompts, and as much as all of them have in common as read."""
        batch, time = tokens.shape
        if real is None:
            self.prompt_lengths = tokens.new_full((batch,), time)
            self.length = self.longest = time
        else:
            check_prompts(real)
            self.prompt_lengths = real.sum(dim=1)
            self.length = int(self.prompt_lengths.min())
            self.longest = int(self.prompt_lengths.max())
        config, new = self.model.config, self.max_new_tokens
        check_length(
            self.longest, new, position=config.position, max_len=config.max_len
        )
        self.tokens = tokens.new_zeros(batch, self.longest + new)
        self.tokens[:, : self.longest] = tokens[:, : self.longest]
        # The model tells by `pad_id` what is padding; where a mask says that a prompt
        # holds this token as a real one, the model must be told.
        self.real = None
        if marked and config.pad_id is not None:
            self.real = torch.ones_like(self.tokens, dtype=torch.bool)

    def _new_cache(self):
        """Return a cache with room for all that will be read."""
        weight = next(self.model.parameters())
        kind = weight.device.type
        dtype = torch.get_autocast_dtype(kind) if autocasts(weight) else None
        room = {"max_len": self.tokens.size(1), "dtype": dtype}
        if self.spare and getattr(self.model.config, "window", None) is not None:
            room["spare"] = self.spare
        if self.memory is None:
            return self.model.new_cache(self.tokens.size(0), **room)
        return self.model.new_cache(self.memory, **room)

    @property
    def fill(self) -> int | None:
        """What stands after an end: `pad_id`, or without it the first `eos_id`."""
        pad_id = self.model.config.pad_id
        return next(iter(self.end_ids), None) if pad_id is None else pad_id

    def are_ends(self, tokens: Integer[Tensor, "..."]) -> Bool[Tensor, "..."]:
        """Return which tokens end a text."""
        found = torch.zeros_like(tokens, dtype=torch.bool)
        for end in self.end_ids:
            found = found | (tokens == end)
        return found

    @property
    def steps(self) -> int:
        """Number of tokens to append until each row has all its new ones."""
        return self.tokens.size(1) - self.length

    @property
    def index(self) -> Integer[Tensor, " batch"]:
        """How many new tokens each row has; below 0 while its prompt goes on."""
        return self.length - self.prompt_lengths

    def next_logits(self, count: int = 1) -> Float[Tensor, "batch count vocab"]:
        """Return the scores of what follows each of the last `count` tokens.

        Raises:
            FloatingPointError: If they are no numbers to choose by.
        """
        start = 0 if self.cache is None else self.cache.length
        new = self.tokens[:, start : self.length]
        real = None if self.real is None else self.real[:, start : self.length]
        given = {"real": real, "cache": self.cache, "count": count}
        given |= {"memory": self.memory, "source_mask": self.source_mask}
        if self.compile and start > 0 and new.size(1) == 1:
            try:
                return usable(compiled_logits()(self.model, new.clone(), **given))
            except RuntimeError as error:
                self.compile = False
                say_uncompiled(error)
        return usable(last_logits(self.model, new, **given))

    def append(self, chosen: Integer[Tensor, " batch"]) -> None:
        """Add the chosen token to each row, or the next one of its prompt."""
        if self.steps == 0:
            raise ValueError(
                "a text must have room for what is appended, got one token more than "
                f"max_new_tokens={self.max_new_tokens}; make it larger."
            )
        place, chosen = self.length, chosen.long()
        real = None if self.real is None else chosen != self.model.config.pad_id
        if place < self.longest:
            in_prompt = place < self.prompt_lengths
            chosen = torch.where(in_prompt, self.tokens[:, place], chosen)
            real = None if real is None else real | in_prompt
        self.tokens[:, place] = chosen
        if real is not None:
            self.real[:, place] = real
        self.length += 1

    def select(self, rows: Integer[Tensor, " chosen"]) -> None:
        """Keep, repeat or reorder rows: row `i` becomes what `rows[i]` was."""
        for name in ("tokens", "prompt_lengths", "real", "memory", "source_mask"):
            held = getattr(self, name)
            if held is not None:
                setattr(self, name, held.index_select(0, rows))
        if self.cache is not None:
            self.cache.select(rows)

    def truncate(self, length: int) -> None:
        """Forget all tokens but the first `length`; append one before the next."""
        check_size("length", length)
        if length > self.length:
            raise ValueError(
                f"a text must be truncated to what it holds, got length={length} for "
                f"{self.length} tokens; pass {self.length} or less."
            )
        self.length = length
        if self.cache is not None and self.cache.length > length:
            # A state cannot go back: the next step reads the text again.
            self.cache.truncate(0 if getattr(self.cache, "states", None) else length)

    def new_tokens(self) -> Integer[Tensor, "batch new"]:
        """Return what was appended to each row; zeros where a row has fewer."""
        places = torch.arange(self.max_new_tokens, device=self.tokens.device)
        places = self.prompt_lengths[:, None] + places  # (batch, new)
        found = self.tokens.gather(1, places)
        return found.masked_fill(places >= self.length, 0)


def reads_source(model: MaybeWrapped) -> bool:
    """Return whether a model reads one text and writes another."""
    return hasattr(model, "encode") and hasattr(model, "decode")


def last_logits(
    model: MaybeWrapped,
    new: Integer[Tensor, "batch time"],
    *,
    count: int,
    real: Bool[Tensor, "batch time"] | None,
    cache: DecoderCache | None,
    memory: Float[Tensor, "batch source d_model"] | None,
    source_mask: Bool[Tensor, "batch source"] | None,
) -> Float[Tensor, "batch count vocab"]:
    """Let a model read new tokens; return what it scores after the last `count`."""
    if memory is None and hasattr(model, "hidden_states"):
        states = model.hidden_states(new, mask=real, cache=cache)
        return model.head(states[:, -count:])
    if memory is None:
        return model(new, mask=real, cache=cache)[:, -count:]
    logits = model.decode(new, memory, source_mask=source_mask, cache=cache)
    return logits[:, -count:]


def usable(logits: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """Return scores after a check that each row has a greatest one, which is finite.

    Raises:
        FloatingPointError: If a row holds what is no number, or no finite one.
    """
    greatest = logits.amax(dim=-1)  # what is no number is the greatest of its row
    if not bool(greatest.isfinite().all()):
        came = greatest[~greatest.isfinite()][0].item()
        raise FloatingPointError(
            "the model must give finite scores to the tokens that may follow, got "
            f"{came}; its weights are damaged, or too large for {logits.dtype}: train "
            "or load it again."
        )
    return logits


@once
def compiled_logits() -> Callable[..., Tensor]:
    """Return `last_logits` as programs that `torch.compile` makes of it.

    A step leaves the size of the cache as it is and moves a number, its length, so one
    program serves all steps; it has no break.
    """
    return torch.compile(last_logits, fullgraph=True, dynamic=True)


def say_uncompiled(error: RuntimeError) -> None:
    """Warn that steps are computed as they stand, and why."""
    reason = (str(error).strip() or "no reason").splitlines()[0].rstrip(".")
    warnings.warn(
        "compile=True must have a C++ compiler that works, such as g++, got "
        f"{type(error).__name__}: {reason}; install one, or leave compile out. The "
        "text goes on without compiled steps.",
        stacklevel=2,
    )


@contextmanager
def continuing(
    model: MaybeWrapped, tokens: Integer[Tensor, "batch time"], **options: object
) -> Iterator[Continuation]:
    """Open the continuation of texts; meanwhile the model has no dropout or gradients.

    Every decoder starts here, so what it takes besides its own choices is described
    once, by `Continuation`.

    Args:
        model: An encoder-decoder or a decoder-only model, also inside a wrapper such
            as that of `torch.compile`; see `unwrapped`.
        tokens: The source, or the prompt.
        options: What else `Continuation` takes.
    """
    model = unwrapped(model)
    check_writer(model)
    with evaluating(model):
        yield Continuation(model, tokens, **options)


# Checks


def check_writer(model: object) -> None:
    """Check that a model has what writing needs.

    One of another class has a `config`, a `new_cache` as a decoder-only model has it,
    and is called with tokens, `mask=` and `cache=`.
    """
    missing = [name for name in ("config", "new_cache") if not hasattr(model, name)]
    if missing:
        raise TypeError(
            "model must be a Transformer, a DecoderOnlyTransformer or what has their "
            f"methods, got {type(model).__name__} without {' and '.join(missing)}; "
            "pass the model inside it, or give it these."
        )


def check_id(name: str, value: object, vocab_size: int) -> None:
    """Check that a value is the id of a token."""
    check_size(name, value, minimum=0)
    if value >= vocab_size:
        raise ValueError(
            f"{name} must be below vocab_size={vocab_size}, got {value}; pass an id "
            "that the model knows."
        )


def check_start(bos_id: object, vocab_size: int, *, wanted: bool) -> None:
    """Check that `bos_id` is an id if the model wants one, and is left out if not."""
    if not wanted:
        if bos_id is not None:
            raise ValueError(
                "a decoder-only model starts from its prompt, got "
                f"bos_id={bos_id!r}; put that token in front of the prompt."
            )
    elif bos_id is None:
        raise ValueError(
            "an encoder-decoder must have a token that starts its target, got "
            "bos_id=None; pass the id with which targets began in training, such as "
            "BOS_ID of transformer.data."
        )
    else:
        check_id("bos_id", bos_id, vocab_size)


def end_ids(eos_id: object, vocab_size: int) -> tuple[int, ...]:
    """Return the tokens that end a text, each an id of the vocabulary."""
    if eos_id is None:
        return ()
    ends = tuple(eos_id) if isinstance(eos_id, list | tuple | set) else (eos_id,)
    for end in ends:
        check_id("eos_id", end, vocab_size)
    return ends


def check_compile(compile: object, *, use_cache: bool) -> None:
    """Check that compiled steps are asked for with a cache only."""
    if compile and not use_cache:
        raise ValueError(
            "compile=True needs the cache, got use_cache=False: only a step that reads "
            "one token has a fixed size; leave one of the two out."
        )


def check_prompts(real: Tensor) -> None:
    """Check that each prompt starts with a token and has no holes."""
    first, holes = real[:, 0], ~real[:, :-1] & real[:, 1:]
    if not bool(first.all()) or bool(holes.any()):
        wrong = int((~first | holes.any(dim=1)).nonzero()[0])
        raise ValueError(
            "prompts must hold real tokens first and padding after them, got other "
            f"places in row {wrong}; pad on the right, and pass mask= if the token "
            "that pads also means something."
        )


def check_length(longest: int, new: int, *, position: str, max_len: int) -> None:
    """Check that each token that is read has a position; the last one is not read."""
    if position in TABLES and longest + new - 1 > max_len:
        raise ValueError(
            f"a model with {position} positions must have one for each token it "
            f"reads, got {longest} + {new} - 1 tokens for max_len={max_len};"
            " shorten the prompt or lower max_new_tokens."
        )
