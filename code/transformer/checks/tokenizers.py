"""What other libraries make a method of a tokenizer, and what is written here."""

from inspect import getattr_static
from typing import ClassVar, NoReturn

_EACH_TEXT = "[tokenizer.encode(text) for text in texts]"
_OF_ALL = {
    "batch_decode": "[tokenizer.decode(ids) for ids in rows]",
    "batch_encode_plus": _EACH_TEXT,
    "convert_tokens_to_ids": "tokenizer.encode(text)",
    "encode_batch": _EACH_TEXT,
    "encode_plus": "tokenizer.encode(text)",
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
    OF_TEXTS |= {f"{_kind}_id": _constant, f"{_kind}_token_id": _constant}


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
        said = f"{type(self).__name__!r} object has no attribute {name!r}"
        if name in self._instead:
            said += f"; write {self._instead[name]}."
        raise AttributeError(said)


class OfTheClass:
    """A method that a class does not have, and what to write instead.

    To `hasattr` it is not there.
    """

    def __init__(self, instead: str) -> None:
        self.instead = instead

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, tokenizer: object, kind: type) -> NoReturn:
        raise AttributeError(
            f"{kind.__name__} has no attribute {self.name!r}; write "
            f"{self.instead.format(kind.__name__)}."
        )
