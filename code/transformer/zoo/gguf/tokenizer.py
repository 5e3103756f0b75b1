"""The tokenizer that a GGUF file brings: bytes merged into pieces, and a chat."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from transformer.checks.attributes import OfTheClass
from transformer.checks.calls import explained
from transformer.checks.tokenizers import OF_A_FILE, ExplainedTokenizer, checked_talk
from transformer.data.tokenizer import check_encodable, checked_ids
from transformer.packages import need
from transformer.zoo.gguf.file import GGUFFile

KINDS = ("model", "pre")  # the fields that tell one tokenizer from another
MODEL = "gpt2"  # pairs of pieces of bytes are merged, the most frequent first
TALKS = "a template of talks needs"
CONTROL = 3  # the type of a token that no text becomes
# Whether digits are cut apart before a text is cut into words, as GPT-2 does it.
CUTS_DIGITS = {"smollm": True, "gpt-2": False}


class PieceTokenizer(ExplainedTokenizer):
    """Turn text into the ids of a trained model, and ids into text.

    A text is cut into words, each word into bytes, and pairs of neighbors are merged in
    the order in which the merges were learned. Nothing is unknown, and `decode` gives
    the text back. The merging is done by the package `tokenizers`.

    Source: Sennrich et al. (2016), section 3.2, for the merges; Radford et al. (2019),
    section 2.2, for bytes and for the words.

    Args:
        file: What `read_gguf` returned.

    Attributes:
        pieces: The piece of each id; a space in it is written Ġ.
        end_id: The id with which an answer ends.

    Raises:
        ImportError: If the package `tokenizers` is missing.
        ValueError: If the file has no tokenizer, one of another kind, or a damaged one.
    """

    _instead = OF_A_FILE
    from_pretrained = OfTheClass('transformer.zoo.load("smollm2-135m")')

    def __init__(self, file: GGUFFile) -> None:
        fields = _read_fields(file)
        self.pieces: list[str] = fields["tokens"]
        self.end_id: int = fields["eos_token_id"]
        self._template: str | None = fields["chat_template"]
        kinds = fields["token_type"]
        self._hidden = {id for id, kind in enumerate(kinds) if kind == CONTROL}
        self._control = [self.pieces[id] for id in sorted(self._hidden)]
        self._fields = fields
        try:
            self._of_text = _build(fields)
        except ImportError:
            raise
        except Exception as error:  # the package raises nothing special
            raise ValueError(
                f"the tokenizer of {file.path.name} must be whole, got {error}; get "
                "the file again."
            ) from error

    @cached_property
    def _of_chat(self) -> Any:
        """What finds control tokens in a text; built for the first talk."""
        merging = _build(self._fields)
        merging.add_special_tokens(self._control)
        return merging

    @property
    def vocab_size(self) -> int:
        """Number of ids."""
        return len(self.pieces)

    @explained
    def encode(self, text: str) -> list[int]:
        """Return the ids of a text; what looks like a control token is text too.

        Raises:
            ValueError: If the text cannot be written as bytes.
        """
        check_encodable(text)
        return self._of_text.encode(text).ids

    @explained
    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ids, without control tokens.

        A letter of which bytes are missing is shown as U+FFFD.

        Raises:
            TypeError: If ids are in rows, or are none.
            ValueError: If an id is not one of the tokenizer's.
        """
        kept = checked_ids(ids, self.vocab_size)
        return self._of_text.decode([id for id in kept if id not in self._hidden])

    @explained
    def chat(self, messages: Iterable[Mapping[str, str]]) -> list[int]:
        """Return the ids of a talk, up to where the model has to answer.

        The template of the file writes the talk: it is a program in Jinja, which runs
        where it can change nothing.

        Args:
            messages: What was said, each with a "role", such as "user", and its
                "content".

        Raises:
            TypeError: If `messages` is one message, or a role or a content is no text.
            ValueError: If the model knows no talks, a message lacks something, or
                holds a control token, which would end it.
        """
        talk = checked_talk(messages, self._control)
        if self._template is None:
            raise ValueError(
                "the model must come with a template of talks, got none; use encode."
            )
        need("jinja2.sandbox", what=TALKS, extra="gguf")
        jinja2 = need("jinja2", what=TALKS, extra="gguf")
        library = jinja2.sandbox.ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True
        )
        try:
            text = library.from_string(self._template).render(
                messages=talk, add_generation_prompt=True
            )
        except Exception as error:  # it is a program, and may fail in any way
            raise ValueError(
                f"the template of talks must write these messages, got {error}; use "
                "encode."
            ) from error
        return self._of_chat.encode(text).ids

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.vocab_size:,} ids)"


def _read_fields(file: GGUFFile) -> dict[str, Any]:
    """Return the fields of the tokenizer of a file, after a check of each."""
    said = file.fields_of("tokenizer.ggml.")
    kind, cuts = (x if isinstance(x, str) else None for x in map(said.get, KINDS))
    if kind != MODEL or cuts not in CUTS_DIGITS:
        raise ValueError(
            f"{file.path.name} must have a tokenizer of model '{MODEL}' that cuts as "
            f"{' or '.join(CUTS_DIGITS)}, got {said.get('model')!r:.200} and "
            f"{said.get('pre')!r:.200}; load another file."
        )
    lists = {name: said.get(name) for name in ("tokens", "merges", "token_type")}
    sizes = {name: len(v) for name, v in lists.items() if hasattr(v, "__len__")}
    end = said.get("eos_token_id")
    if (
        not isinstance(lists["tokens"], list)
        or not isinstance(lists["merges"], list)
        or sizes.get("token_type") != sizes["tokens"]
        or len(set(lists["tokens"])) != sizes["tokens"]
        or isinstance(end, bool)
        or not isinstance(end, int)
        or not 0 <= end < sizes["tokens"]
    ):
        raise ValueError(
            f"the tokenizer of {file.path.name} must list its pieces once each, a type "
            f"of each, merges and an end, got {sizes} items and the end {end!r:.200}; "
            "get the file again."
        )
    template = file.fields.get("tokenizer.chat_template")
    if not isinstance(template, str | None):
        raise ValueError(
            f"the template of talks of {file.path.name} must be text, got "
            f"{template!r:.200}; get the file again."
        )
    return said | {"chat_template": template}


def _build(fields: Mapping[str, Any]) -> Any:
    """Return a tokenizer of the package `tokenizers`."""
    library = need(
        "tokenizers", what="the tokenizer of a GGUF file needs", extra="gguf"
    )
    vocabulary = {piece: id for id, piece in enumerate(fields["tokens"])}
    merges = [tuple(merge.split(" ", 1)) for merge in fields["merges"]]
    merging = library.Tokenizer(library.models.BPE(vocabulary, merges))
    cuts = [library.pre_tokenizers.ByteLevel(add_prefix_space=False)]
    if CUTS_DIGITS[fields["pre"]]:
        cuts.insert(0, library.pre_tokenizers.Digits(individual_digits=True))
    merging.pre_tokenizer = library.pre_tokenizers.Sequence(cuts)
    merging.decoder = library.decoders.ByteLevel()
    return merging
