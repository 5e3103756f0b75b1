"""The tokenizer that a GGUF file brings: bytes merged into pieces, and a chat."""

from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from transformer.data.answers import Answer, mark_answer
from transformer.data.tokenizer import check_encodable, checked_ids
from transformer.packages import need
from transformer.zoo.gguf.file import GGUFFile

_MESSAGE = '{"role": "user", "content": "Hello!"}'
KINDS = ("model", "pre")  # the fields that tell one tokenizer from another
MODEL = "gpt2"  # pairs of pieces of bytes are merged, the most frequent first
TALKS = "a template of talks needs"
# Types of tokens. What is marked as unknown or for control is written by templates
# only; what a user has defined is found in every text, before it is cut into words.
UNKNOWN, CONTROL, USER_DEFINED, UNUSED = 2, 3, 4, 5
WRITTEN_BY_TEMPLATES = (UNKNOWN, CONTROL)
NEVER_SHOWN = (UNKNOWN, CONTROL, UNUSED)
# Under which names templates ask for the tokens that a file names by their ids.
TEMPLATE_NAMES = {
    "bos_token": "bos_token_id",
    "eos_token": "eos_token_id",
    "unk_token": "unknown_token_id",
    "pad_token": "padding_token_id",
}
ENDS = ("eos_token_id", "eot_token_id", "eom_token_id")
FLAGS = ("add_bos_token", "add_eos_token", "add_sep_token")
# What `to_dict` keeps of all that a file says.
KEPT = (*KINDS, "tokens", "merges", "token_type", "chat_template")
KEPT += (*FLAGS, *ENDS, *TEMPLATE_NAMES.values())
# Whether digits are cut apart before a text is cut into words, as GPT-2 does it.
CUTS_DIGITS = {"smollm": True, "gpt-2": False}


class PieceTokenizer:
    """Turn text into the ids of a trained model, and ids into text.

    A text is cut into words, each word into bytes, and pairs of neighbors are merged in
    the order in which the merges were learned. Nothing is unknown, and `decode` gives
    the text back. The merging is done by the package `tokenizers`. Where a file says
    so, each text is put between its begin and its end.

    Source: Sennrich et al. (2016), section 3.2, for the merges; Radford et al. (2019),
    section 2.2, for bytes and for the words.

    Args:
        file: What `read_gguf` returned.

    Attributes:
        pieces: The piece of each id; a space in it is written Ġ.
        end_id: The id with which an answer ends.
        end_ids: This and all others that end one, as `eos_id` for `generate`.

    Raises:
        ValueError: If the file has no tokenizer, one of another kind, or a damaged one.
    """

    def __init__(self, file: GGUFFile) -> None:
        fields = _read_fields(file)
        self.pieces: list[str] = fields["tokens"]
        self.end_id: int = fields["eos_token_id"]
        found = [fields[name] for name in ENDS if name in fields]
        self.end_ids: tuple[int, ...] = tuple(dict.fromkeys(found))
        self._begin = [fields["bos_token_id"]] if fields["add_bos_token"] else []
        self._end = [self.end_id] * fields["add_eos_token"]
        self._template: str | None = fields["chat_template"]
        kinds = fields["token_type"]
        self._hidden = {id for id, kind in enumerate(kinds) if kind in NEVER_SHOWN}
        self._control = _pieces_of(fields, *WRITTEN_BY_TEMPLATES)
        self._defined = {id for id, kind in enumerate(kinds) if kind == USER_DEFINED}
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

    def __len__(self) -> int:
        return self.vocab_size

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text; what looks like a control token is text too.

        Raises:
            ValueError: If the text cannot be written as bytes.
        """
        check_encodable(text)
        return [*self._begin, *self._of_text.encode(text).ids, *self._end]

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ids, without control tokens.

        A letter of which bytes are missing is shown as U+FFFD.

        Raises:
            ValueError: If an id is not one of the tokenizer's.
        """
        kept = checked_ids(ids, self.vocab_size)
        kept = [id for id in kept if id not in self._hidden]
        # What a user has defined is text as it stands; the rest writes each byte.
        return "".join(
            "".join(self.pieces[id] for id in run)
            if defined
            else self._of_text.decode(list(run))
            for defined, run in groupby(kept, key=self._defined.__contains__)
        )

    def chat(self, messages: Iterable[Mapping[str, str]]) -> list[int]:
        """Return the ids of a talk, up to where the model has to answer.

        The template of the file writes the talk: it is a program in Jinja, which runs
        where it can change nothing. A begin that it does not write, but the file asks
        for, is put before.

        Args:
            messages: What was said, each with a "role", such as "user", and its
                "content".

        Raises:
            TypeError: If `messages` is one message, or a role or a content is no text.
            ValueError: If the model knows no talks, a message lacks something, or
                holds a control token, which would end it.
        """
        return self._read(self._write(checked_talk(messages, self._control)))

    def answered(self, messages: Iterable[Mapping[str, str]]) -> Answer:
        """Return the ids of a talk whose last message is what the model is to say.

        The loss of a training counts these alone, with the token that ends them. What
        stands before is what `chat` would give it to answer.

        Args:
            messages: As for `chat`, the last one by the model.

        Raises:
            TypeError: As `chat`.
            ValueError: As `chat`, or if the last message is empty, or the template does
                not write it behind the others and end it.
        """
        *asked, answer = checked_talk(messages, self._control) or [None]
        if not asked or not answer["content"]:
            raise ValueError(
                "messages must end with an answer to what stands before, got "
                f"{len(asked)} messages before {answer!r:.80}; pass both."
            )
        prompt, whole = (
            self._write(asked),
            self._write([*asked, answer], to_go_on=False),
        )
        said = whole.removeprefix(prompt)
        pieces = (self.pieces[id] for id in self.end_ids)
        ends = [said.index(piece) + len(piece) for piece in pieces if piece in said]
        if not (whole.startswith(prompt) and ends):
            raise ValueError(
                "the template of talks must write the last message as an answer to the "
                f"others, got {whole[-80:]!r}; give it the role of the model."
            )
        ids = self._of_chat.encode(said[: min(ends)]).ids
        return mark_answer(self._read(prompt), ids)

    def _read(self, text: str) -> list[int]:
        """Return the ids of what a template has written, with their begin."""
        ids = self._of_chat.encode(text).ids
        return ids if ids[:1] == self._begin else [*self._begin, *ids]

    def _write(self, talk: list[Mapping[str, str]], *, to_go_on: bool = True) -> str:
        """Return a talk as the template of the file writes it."""
        if self._template is None:
            raise ValueError(
                "the model must come with a template of talks, got none; use encode."
            )
        need("jinja2.sandbox", what=TALKS, extra="gguf")
        jinja2 = need("jinja2", what=TALKS, extra="gguf")
        library = jinja2.sandbox.ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True
        )
        named = {
            name: self.pieces[self._fields[id]]
            for name, id in TEMPLATE_NAMES.items()
            if id in self._fields
        }
        try:
            return library.from_string(self._template).render(
                messages=talk, add_generation_prompt=to_go_on, **named
            )
        except Exception as error:  # it is a program, and may fail in any way
            raise ValueError(
                f"the template of talks must write these messages, got {error}; use "
                "encode."
            ) from error

    def to_dict(self) -> dict[str, Any]:
        """Return all there is to know, as JSON can hold it."""
        said = {
            name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in self._fields.items()
            if name in KEPT
        }
        return {"kind": "pieces", "fields": said}

    @classmethod
    def from_dict(cls, description: Mapping[str, Any]) -> "PieceTokenizer":
        """Return the tokenizer that `to_dict` described."""
        said = dict(description["fields"])
        template = said.pop("chat_template", None)
        fields = {f"tokenizer.ggml.{name}": value for name, value in said.items()}
        if template is not None:
            fields["tokenizer.chat_template"] = template
        return cls(GGUFFile(Path("tokenizer.json"), fields, {}))

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
        or not _is_id(end, sizes["tokens"])
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
    flags = {name: said.get(name, False) for name in FLAGS}
    wanted = {*ENDS, *TEMPLATE_NAMES.values()} & said.keys()
    if flags["add_bos_token"] is True:
        wanted.add("bos_token_id")
    wrong = {n: v for n, v in flags.items() if not isinstance(v, bool)}
    wrong |= {
        n: said.get(n) for n in wanted if not _is_id(said.get(n), sizes["tokens"])
    }
    if flags["add_sep_token"] is True:
        wrong["add_sep_token"] = True
    if wrong:
        faults = ", ".join(f"{name}={value!r:.80}" for name, value in wrong.items())
        raise ValueError(
            f"the tokenizer of {file.path.name} must name tokens by their ids, and may "
            f"add a begin and an end, got {faults}; load another file."
        )
    return said | flags | {"chat_template": template}


def _is_id(value: object, count: int) -> bool:
    """Return whether a value is the number of one of so many pieces."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    return whole and 0 <= value < count


def _pieces_of(fields: Mapping[str, Any], *kinds: int) -> list[str]:
    """Return the pieces whose type is one of some."""
    typed = zip(fields["tokens"], fields["token_type"], strict=True)
    return [piece for piece, kind in typed if kind in kinds]


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
    merging.add_tokens(
        [
            library.AddedToken(piece, normalized=False)
            for piece in _pieces_of(fields, USER_DEFINED)
        ]
    )
    return merging


def checked_talk(
    messages: Iterable[Mapping[str, str]], control: Collection[str]
) -> list[Mapping[str, str]]:
    """Return the messages of a talk, each after a check."""
    if isinstance(messages, str | Mapping):
        raise TypeError(
            "messages must be several messages, got one "
            f"{type(messages).__name__}; pass a list, such as [{_MESSAGE}]."
        )
    talk = list(messages)
    for message in talk:
        if not isinstance(message, Mapping) or {"role", "content"} - message.keys():
            raise ValueError(
                f"a message must have a role and a content, got {message!r}; pass "
                f"{_MESSAGE}."
            )
        for part in ("role", "content"):
            _check_part(part, message[part], control)
    return talk


def _check_part(part: str, text: object, control: Collection[str]) -> None:
    """Check that a part of a message is text that cannot end it."""
    if not isinstance(text, str):
        raise TypeError(
            f"the {part} of a message must be a str, got {type(text).__name__}; pass "
            f"{_MESSAGE}."
        )
    held = [token for token in control if token in text]
    if held:
        raise ValueError(
            f"the {part} of a message must hold no control token, got {held[0]}; leave "
            "it out."
        )
