"""Checks of a configuration: its fields are known, given by name, and stay."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import FrozenInstanceError
from functools import wraps
from typing import NoReturn

from transformer.checks.attributes import missing_attribute
from transformer.checks.calls import explained
from transformer.checks.names import meant
from transformer.checks.values import check_choice

_INSTEAD = {
    "copy": "dataclasses.replace(config)",
    "replace": "dataclasses.replace(config, d_model=64)",
    "save_pretrained": "json.dump(dataclasses.asdict(config), file)",
    "to_dict": "dataclasses.asdict(config)",
    "update": "dataclasses.replace(config, d_model=64)",
}


def with_known_fields(
    choices: Mapping[str, Collection[str]],
) -> Callable[[type], type]:
    """Let a configuration check the names it is given first, and offer similar ones.

    So a misspelled name is told even where another field is missing. What it is asked
    for later is told, too.

    Args:
        choices: What can be chosen, by field.
    """

    def guard(configuration: type) -> type:
        known = configuration.__dataclass_fields__
        make = explained(configuration.__init__)

        @wraps(make)
        def checked(self: object, *values: object, **fields: object) -> None:
            _check_names(configuration, values, fields)
            for name, value in fields.items():
                if name in choices:
                    check_choice(name, value, choices[name])
            make(self, **fields)

        def missing(self: object, name: str) -> NoReturn:
            raise missing_attribute(self, name, _INSTEAD, known)

        configuration.__init__, configuration.__getattr__ = checked, missing
        configuration.__setattr__ = _refuse_change
        return configuration

    return guard


def _check_names(
    configuration: type, values: tuple, fields: Mapping[str, object]
) -> None:
    """Check that fields are given by name, and that there are such fields."""
    if values:
        raise TypeError(
            "a configuration must be given its fields by name, got "
            f"{values[0]!r:.40}; write {configuration.__name__}(vocab_size=100)."
        )
    known = configuration.__dataclass_fields__
    for name in fields:
        if name not in known:
            raise TypeError(
                f"a configuration must have known fields, got {name!r}"
                f"{meant(name, known)}; help(TransformerConfig) lists them."
            )


def _refuse_change(config: object, name: str, value: object) -> NoReturn:
    """Say how another configuration is made."""
    raise FrozenInstanceError(
        f"a configuration must stay as it was made, got {name}={value!r:.40}; make "
        f"another by dataclasses.replace(config, {name}={value!r:.40})."
    )
