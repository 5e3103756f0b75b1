"""The settings of a training: all that decides what comes out of it.

Each field is a flag of `python -m transformer train`, and a line of the file
`settings.json` beside the checkpoints.
"""

import json
from collections.abc import Collection
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

import transformer
from transformer.checks.values import (
    LARGEST,
    check_choice,
    check_divisible,
    check_dropout,
    check_positive,
    check_size,
    shown_number,
)

# The names of what other rooms have, written out: those rooms import PyTorch.
TASKS = ("numbers", "reversal")
CORPORA = ("multi30k-en-de", "tatoeba-en-fr")
TOKENIZERS = ("characters", "words", "subwords")
POSITIONS = ("sinusoidal", "rotary", "relative", "relative_keys", "alibi", "none")
NORM_PLACEMENTS = ("post", "pre")
PRECISIONS = ("float32", "bfloat16", "float16")
SCHEDULES = ("cosine", "constant", "noam")
SEEDS = 2**63 - 2**20  # so many that each process can have one of its own
WARMUP, WARMUP_SHARE = 50, 4  # its default, at most a quarter of all steps
FROM_ZERO = ("warmup", "seed", "validate_every")  # the other whole numbers start at 1


class SettingsError(Exception):
    """Settings do not fit; the message says which, and what to do."""


def setting(default: object, help: str, choices: tuple = ()) -> object:
    """Return a field of the settings with its line of help."""
    return field(default=default, metadata={"help": help, "choices": choices})


def default_warmup(steps: int, schedule: str) -> int:
    """Return the steps of the warm-up where none are said, few enough to fall after."""
    return min(WARMUP, steps // WARMUP_SHARE) if schedule == "cosine" else WARMUP


def _difference(flag: str, mine: object, theirs: object) -> str:
    """Return in which value a flag differs; None is one that was not said."""
    if mine is None:
        return f"no {flag} instead of {theirs}"
    return f"{flag} {mine} instead of {'none' if theirs is None else theirs}"


def check_one_text(flags: Collection[str]) -> None:
    """Check that at most one flag says what to learn."""
    if len(flags) > 1:
        raise SettingsError(
            f"there must be one text to learn from, got {' and '.join(flags)}; leave "
            "one out."
        )


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Describe a training. Each default is that of the task `numbers`."""

    task: str = setting("numbers", "what to learn, made on the spot", TASKS)
    corpus: str | None = setting(
        None, "what to learn instead of a task, downloaded", CORPORA
    )
    pairs: str | None = setting(
        None, "what to learn instead of a task: a file of source TAB target lines"
    )
    examples: int | None = setting(None, "how many pairs to learn from")
    tokenizer: str = setting("words", "how text is cut into tokens", TOKENIZERS)
    vocab_size: int = setting(8000, "number of subwords, with --tokenizer subwords")
    max_length: int = setting(100, "longest text to learn from, in tokens")
    layers: int = setting(2, "number of layers of the encoder, and of the decoder")
    d_model: int = setting(64, "number of features")
    d_ff: int = setting(256, "number of features inside the feed-forward networks")
    heads: int = setting(4, "number of attention heads")
    position: str = setting("sinusoidal", "how positions are told apart", POSITIONS)
    norm_placement: str = setting(
        "pre", "where each branch is normalized", NORM_PLACEMENTS
    )
    dropout: float = setting(0.0, "share of values dropped in training")
    smoothing: float = setting(0.1, "share of label smoothing")
    steps: int = setting(600, "number of steps")
    batch_size: int = setting(64, "number of pairs in a batch, over all processes")
    accumulate: int = setting(1, "parts in which a batch is computed, to save memory")
    schedule: str = setting("cosine", "how the learning rate goes", SCHEDULES)
    learning_rate: float = setting(5e-3, "its peak; noam has its own")
    warmup: int = setting(WARMUP, "steps until the peak, fewer in short trainings")
    max_norm: float = setting(1.0, "longest gradient")
    precision: str = setting("float32", "type of the products", PRECISIONS)
    seed: int = setting(0, "where the random numbers start")
    validate_every: int = setting(100, "steps between validations; 0 for none")
    patience: int | None = setting(
        None, "stop after so many validations without a new best; the last model stays"
    )
    checkpoint_every: int = setting(100, "steps between checkpoints")

    def __post_init__(self) -> None:
        """Check the fields; raise at the first that does not fit."""
        try:
            for item in fields(self):
                self._check(item.name, getattr(self, item.name))
            check_divisible("--d-model", self.d_model, "--heads", self.heads)
            self.model_config(vocab_size=8)
        except (TypeError, ValueError) as error:
            raise SettingsError(str(error)) from error
        texts = {"--corpus": self.corpus, "--pairs": self.pairs}
        check_one_text([flag for flag, text in texts.items() if text is not None])
        if self.warmup >= self.steps and self.schedule == "cosine":
            raise SettingsError(
                f"--warmup must be below --steps {self.steps}, got {self.warmup}; "
                "shorten the warm-up or train longer."
            )
        if self.seed >= SEEDS:
            raise SettingsError(
                "--seed must be below 2 to the power of 63, got "
                f"{shown_number(self.seed)}; pass a smaller one."
            )
        if self.patience is not None and not 0 < self.validate_every <= self.steps:
            raise SettingsError(
                "--patience must come with validations, got --validate-every "
                f"{self.validate_every} in {self.steps} steps; validate more often."
            )
        least = transformer.data.SubwordTokenizer.LEAST
        if self.tokenizer == "subwords" and self.vocab_size < least:
            raise SettingsError(
                f"--vocab-size must be at least {least} for subwords, "
                f"got {self.vocab_size}; raise it."
            )
        if self.schedule == "noam" and self.warmup == 0:
            raise SettingsError(
                "--schedule noam must have a warm-up, got --warmup 0; pass at least 1."
            )

    def _check(self, name: str, value: object) -> None:
        """Check one field by itself."""
        kind = {item.name: item for item in fields(self)}[name]
        flag = f"--{name.replace('_', '-')}"
        if value is None and "None" in str(kind.type):
            return
        if kind.metadata["choices"]:
            check_choice(flag, value, kind.metadata["choices"])
        elif kind.type is float:
            if name in ("dropout", "smoothing"):
                check_dropout(flag, value)
            else:
                check_positive(flag, value)
        elif kind.type == str | None:
            if not isinstance(value, str):
                raise TypeError(f"{flag} must be text, got {value!r}; name a file.")
        elif kind.type in (int, int | None):
            least = 0 if name in FROM_ZERO else 1
            most = None if name == "seed" else LARGEST  # which has a bound of its own
            check_size(flag, value, minimum=least, maximum=most)

    @property
    def name(self) -> str:
        """What is learned, in one word."""
        if self.pairs is not None:
            return Path(self.pairs).stem
        return self.task if self.corpus is None else self.corpus

    @property
    def _warms_up_as_usual(self) -> bool:
        """Whether the warm-up is the one where none is said."""
        return self.warmup == default_warmup(self.steps, self.schedule)

    @property
    def made_task(self) -> str | None:
        """The task whose pairs are made on the spot; None where a text is read."""
        return self.task if self.corpus is None and self.pairs is None else None

    def model_config(self, vocab_size: int) -> "transformer.TransformerConfig":
        """Return the configuration of the model."""
        return transformer.TransformerConfig(
            vocab_size=vocab_size,
            max_len=self.max_length + 2,  # room for the begin and the end
            num_encoder_layers=self.layers,
            num_decoder_layers=self.layers,
            d_model=self.d_model,
            d_ff=self.d_ff,
            num_heads=self.heads,
            position=self.position,
            norm_placement=self.norm_placement,
            final_norm=self.norm_placement == "pre",
            dropout=self.dropout,
            pad_id=transformer.data.PAD_ID,
        )

    def learning_rate_at(self, step: int) -> float:
        """Return the learning rate of a step, counted from 1."""
        learn, peak, warmup = transformer.training, self.learning_rate, self.warmup
        if self.schedule == "noam":
            return learn.noam_schedule(step, d_model=self.d_model, warmup=warmup)
        if self.schedule == "constant":
            return learn.constant_schedule(step, peak=peak, warmup=warmup)
        return learn.cosine_schedule(step, peak=peak, warmup=warmup, steps=self.steps)

    def differences(self, other: "Settings") -> list[str]:
        """Name the flags in which these settings differ from others."""
        mine, theirs = asdict(self), asdict(other)
        if self._warms_up_as_usual and other._warms_up_as_usual:
            del mine["warmup"]  # nobody has said it: it follows from the steps
        return [
            _difference(f"--{name.replace('_', '-')}", mine[name], theirs[name])
            for name in mine
            if mine[name] != theirs[name]
        ]

    def to_json(self) -> str:
        """Return the settings as JSON, a line for each."""
        return json.dumps(asdict(self), indent=2) + "\n"
