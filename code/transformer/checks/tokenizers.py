"""What other libraries make a method of a tokenizer, and what is written here."""

from collections.abc import Collection, Iterable, Mapping
from inspect import getattr_static
from typing import ClassVar, NoReturn

from transformer.checks.attributes import OfTheClass, missing_attribute

_MESSAGE = '{"role": "user", "content": "Hello!"}'
_EACH_TEXT = "[tokenizer.encode(text) for text in texts]"
_OF_ALL = {
    "batch_decode": "[tokenizer.decode(ids) for ids in rows]",
    "batch_encode_plus": _EACH_TEXT,
    "convert_tokens_to_ids": "tokenizer.encode(text)",
    "encode_batch": _EACH_TEXT,
    "encode_plus": "tokenizer.encode(text)",
    "id_to_token": "tokenizer.decode(ids)",
    "token_to_id": "tokenizer.encode(text)",
    "get_vocab_size": "tokenizer.vocab_size",
}
OF_A_FILE = _OF_ALL | {
    "apply_chat_template": "tokenizer.chat(messages)",
    "convert_ids_to_tokens": "[tokenizer.pieces[id] for id in ids]",
    "eos_id": "tokenizer.end_id",
    "eos_token_id": "tokenizer.end_id",
    "get_vocab": "tokenizer.pieces",
    "tokenize": "[tokenizer.pieces[id] for id in tokenizer.encode(text)]",
    "vocab": "tokenizer.pieces",
}
_SAVE = "json.dump(tokenizer.to_dict(), file)"
OF_TEXTS = _OF_ALL | {
    "convert_ids_to_tokens": "[tokenizer.decode([id]) for id in ids]",
    "save": _SAVE,
    "save_pretrained": _SAVE,
    "tokenize": "tokenizer.pieces(text)",
}
for _kind in ("pad", "bos", "eos", "unk"):
    _constant = f"{_kind.upper()}_ID, which stands in transformer.data"
    _names = (f"{_kind}_id", f"{_kind}_token_id", f"{_kind}_token")
    OF_TEXTS |= dict.fromkeys(_names, _constant)


class ExplainedTokenizer:
    """Have as many ids as `vocab_size` says, and lead from other names to ours."""

    _instead: ClassVar[dict[str, str]] = _OF_ALL

    def __len__(self) -> int:
        return self.vocab_size

    def __call__(self, *args: object, **kwargs: object) -> NoReturn:
        """Say what to write: a tokenizer does more than one thing."""
        raise TypeError(
            f"a {type(self).__name__} must be told what to do, got a call; write "
            "tokenizer.encode(text), and torch.tensor([ids]) for a model."
        )

    def __getattr__(self, name: str) -> object:
        of_class = getattr_static(type(self), name, None)
        if isinstance(of_class, OfTheClass):
            return of_class.__get__(self, type(self))
        raise missing_attribute(self, name, self._instead, _public(type(self)))


def _public(kind: type) -> list[str]:
    """List what an object of a class can be asked for."""
    return [name for name in dir(kind) if name[0] != "_" and hasattr(kind, name)]


def checked_talk(
    messages: Iterable[Mapping[str, str]], control: Collection[str]
) -> list[Mapping[str, str]]:
    """Return the messages of a talk, each after a check.

    Args:
        messages: What was said.
        control: The tokens that may not stand in it.
    """
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
