"""The settings of a training: all that decides what comes out of it.

Each field is a flag of `python -m transformer train`, and a line of the file
`settings.json` beside the checkpoints.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import transformer
from transformer.checks.values import check_divisible, check_size
from transformer.commands.flags import Flags, SettingsError, as_flag, flag
from transformer.files import read_json

# The names of what other rooms have, written out: those rooms import PyTorch.
TASKS = ("numbers", "reversal")
CORPORA = ("multi30k-en-de", "tatoeba-en-fr")
TOKENIZERS = ("characters", "words", "subwords")
POSITIONS = ("sinusoidal", "rotary", "relative", "relative_keys", "alibi", "none")
NORM_PLACEMENTS = ("post", "pre")
PRECISIONS = ("float32", "bfloat16", "float16")
SCHEDULES = ("cosine", "constant", "noam")
OPTIMIZERS = ("adam", "muon")
MOST_SEED = 2**63 - 2**20  # so that each process can have one of its own
WARMUP, WARMUP_SHARE = 50, 4  # its default, at most a quarter of all steps
TEXTS = ("task", "corpus", "pairs", "text")  # each says what to learn
# The defaults with --text: a small Llama, and what trains one well.
USUAL_OF_TEXT = {
    "tokenizer": "subwords",
    "vocab_size": 2048,
    "max_length": 256,
    "layers": 4,
    "d_model": 192,
    "d_ff": 512,
    "heads": 6,
    "position": "rotary",
    "dropout": 0.1,
    "smoothing": 0.0,
    "batch_size": 16,
    "optimizer": "muon",
    "weight_decay": 0.1,
}


def default_warmup(steps: int, schedule: str) -> int:
    """Return the steps of the warm-up where none are said, few enough to fall after."""
    return min(WARMUP, steps // WARMUP_SHARE) if schedule == "cosine" else WARMUP


def check_one_text(names: Collection[str]) -> None:
    """Check that at most one field says what to learn."""
    if len(names) > 1:
        raise SettingsError(
            "there must be one text to learn from, got "
            f"{' and '.join(map(as_flag, names))}; leave one out."
        )


def check_files(paths: object) -> None:
    """Check that the files of a text are named one by one."""
    named = isinstance(paths, Sequence) and not isinstance(paths, str)
    if not named or not paths or not all(isinstance(path, str) for path in paths):
        raise SettingsError(
            f"--text must be the names of files, got {paths!r:.80}; name at least one."
        )


def check_language_model(settings: "Settings") -> None:
    """Check that nothing is said that a language model cannot follow."""
    if settings.examples is not None:
        raise SettingsError(
            "--examples must come with pairs, got --text; shorten the text instead."
        )
    if settings.tokenizer == "words":
        raise SettingsError(
            "--tokenizer must keep line ends where a text goes on, got words; pass "
            "subwords or characters."
        )


@dataclass(frozen=True, kw_only=True)
class Settings(Flags):
    """Describe a training. Each default is that of the task `numbers`."""

    task: str = flag(
        "numbers", "what to learn, made on the spot", TASKS, group="what to learn"
    )
    corpus: str | None = flag(None, "instead of a task: a text to download", CORPORA)
    pairs: str | None = flag(
        None, "instead of a task: a file of source TAB target lines", metavar="file"
    )
    text: Sequence[str] | None = flag(
        None,
        "instead of a task: files of text for a language model, which goes on with a "
        "text; the end of each is held out",
        metavar="file",
        several=True,
    )
    examples: int | None = flag(None, "how many pairs to learn from")
    tokenizer: str = flag("words", "how text is cut into tokens", TOKENIZERS)
    vocab_size: int = flag(8000, "number of subwords, with --tokenizer subwords")
    max_length: int = flag(
        100, "longest text to learn from, in tokens; with --text, how far it looks back"
    )
    layers: int = flag(
        2, "number of layers of the encoder, and of the decoder", group="the model"
    )
    d_model: int = flag(64, "number of features")
    d_ff: int = flag(256, "number of features inside the feed-forward networks")
    heads: int = flag(4, "number of attention heads")
    position: str = flag("sinusoidal", "how positions are told apart", POSITIONS)
    norm_placement: str = flag("pre", "where a branch is normalized", NORM_PLACEMENTS)
    dropout: float = flag(0.0, "share of values dropped in training", share=True)
    smoothing: float = flag(
        0.1, "share of label smoothing", share=True, group="how it learns"
    )
    steps: int = flag(600, "number of steps")
    batch_size: int = flag(
        64, "number of pairs or windows in a batch, over all processes"
    )
    accumulate: int = flag(1, "parts in which a batch is computed, to save memory")
    optimizer: str = flag("adam", "what changes the weights", OPTIMIZERS)
    weight_decay: float = flag(
        0.0, "share by which matrices shrink, times the rate", share=True
    )
    schedule: str = flag("cosine", "how the learning rate goes", SCHEDULES)
    learning_rate: float = flag(5e-3, "its peak; noam has its own")
    warmup: int = flag(WARMUP, "steps until the peak, fewer if steps are few", least=0)
    max_norm: float = flag(1.0, "longest gradient")
    precision: str = flag("float32", "type of the products", PRECISIONS)
    seed: int = flag(0, "where the random numbers start", least=0, most=MOST_SEED)
    validate_every: int = flag(
        100,
        "steps between validations; 0 for none",
        least=0,
        group="what happens between the steps",
    )
    patience: int | None = flag(None, "validations without a new best before an end")
    checkpoint_every: int = flag(100, "steps between checkpoints")

    def __post_init__(self) -> None:
        """Check the fields, then what they must have in common."""
        super().__post_init__()
        check_one_text([x for x in TEXTS[1:] if getattr(self, x) is not None])
        if self.text is not None:
            check_files(self.text)
            check_language_model(self)
        try:
            check_divisible("--d-model", self.d_model, "--heads", self.heads)
            self.model_config(vocab_size=8)
            self.learning_rate_at(1)
            if self.tokenizer == "subwords":
                least = transformer.data.SubwordTokenizer.LEAST
                check_size("--vocab-size", self.vocab_size, minimum=least)
        except (TypeError, ValueError) as error:
            raise SettingsError(str(error)) from error
        if self.patience is not None and not 0 < self.validate_every <= self.steps:
            raise SettingsError(
                "--patience must come with validations, got --validate-every "
                f"{self.validate_every} in {self.steps} steps; validate more often."
            )

    @classmethod
    def of(cls, said: Mapping[str, object]) -> "Settings":
        """Return the settings that flags say, if none of these is without effect."""
        check_one_text([name for name in TEXTS if name in said])
        if "text" in said:
            paths = [str(Path(path).resolve()) for path in said["text"]]
            usual = dict(USUAL_OF_TEXT)
            if said.get("tokenizer", "subwords") != "subwords":
                del usual["vocab_size"]
            said = {**usual, **said, "text": paths}
        tokenizer = said.get("tokenizer", cls.tokenizer)
        if "vocab_size" in said and tokenizer != "subwords":
            raise SettingsError(
                "--vocab-size must come with --tokenizer subwords, got --tokenizer "
                f"{tokenizer}; add it, or leave --vocab-size out."
            )
        steps = said.get("steps", cls.steps)
        warmup = default_warmup(steps, said.get("schedule", cls.schedule))
        said = {"warmup": warmup, **said}
        if "pairs" in said:  # so that `evaluate` finds it from another folder
            said["pairs"] = str(Path(said["pairs"]).resolve())
        return super().of(said)

    @property
    def name(self) -> str:
        """What is learned, in one word."""
        if self.text is not None:
            return Path(self.text[0]).stem
        if self.pairs is not None:
            return Path(self.pairs).stem
        return self.task if self.corpus is None else self.corpus

    @property
    def made_task(self) -> str | None:
        """The task whose pairs are made on the spot; None where a text is read."""
        others = (self.corpus, self.pairs, self.text)
        return self.task if all(other is None for other in others) else None

    @property
    def warms_up_as_usual(self) -> bool:
        """Whether the warm-up is the one where none is said."""
        return self.warmup == default_warmup(self.steps, self.schedule)

    def model_config(self, vocab_size: int) -> "transformer.TransformerConfig":
        """Return the configuration of the model."""
        said = {
            "vocab_size": vocab_size,
            "num_decoder_layers": self.layers,
            "d_model": self.d_model,
            "d_ff": self.d_ff,
            "num_heads": self.heads,
            "position": self.position,
            "norm_placement": self.norm_placement,
            "final_norm": self.norm_placement == "pre",
            "dropout": self.dropout,
        }
        if self.text is None:
            return transformer.TransformerConfig(
                **said,
                max_len=self.max_length + 2,  # room for the begin and the end
                num_encoder_layers=self.layers,
                pad_id=transformer.data.PAD_ID,
            )
        return transformer.TransformerConfig.decoder_only(  # a small Llama
            **said,
            max_len=self.max_length,
            norm="rms",
            activation="silu",
            gated=True,
            bias=False,
            scale_embeddings=False,
            initialization="depth_scaled",
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
        if self.warms_up_as_usual and other.warms_up_as_usual:
            del mine["warmup"]  # nobody has said it: it follows from the steps
        return [
            f"{as_flag(name)} {mine[name]} instead of {theirs[name]}"
            for name in mine
            if mine[name] != theirs[name]
        ]

    def extends(self, earlier: "Settings") -> bool:
        """Return whether these settings are earlier ones with more steps.

        A warm-up that was the usual one may stay, or be the usual one of the steps now.
        """
        warmups = [earlier.warmup]
        if earlier.warms_up_as_usual:
            warmups.append(default_warmup(self.steps, self.schedule))
        steps = {"steps": self.steps, "warmup": self.warmup}
        longer = self.steps > earlier.steps and self.warmup in warmups
        return longer and asdict(earlier) | steps == asdict(self)

    def to_json(self) -> str:
        """Return the settings as JSON, a line for each."""
        return json.dumps(asdict(self), indent=2) + "\n"


def read_settings(path: Path) -> Settings:
    """Read what `Settings.to_json` has written."""
    known = {item.name for item in fields(Settings)}
    try:
        values = read_json(path)
        if not isinstance(values, dict) or set(values) != known:
            wrong = sorted(known ^ set(values)) if isinstance(values, dict) else values
            raise ValueError(f"it differs from those of this version in {wrong!r:.200}")
        return Settings(**values)
    except (OSError, ValueError, SettingsError) as error:
        raise SettingsError(
            f"{path} must hold the settings of a training, but {error}; name another "
            "folder, or remove this one and train again."
        ) from error
