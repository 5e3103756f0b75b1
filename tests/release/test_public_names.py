"""A public name that disappears is named in the changelog."""

import re
from pathlib import Path

import public_names

from bookkit.checking.facts import facts

FOLDER = Path(__file__).parent
CHANGELOG = (FOLDER.parents[1] / "CHANGELOG.md").read_text("utf-8")


def gone_unnamed(listed, found, changelog):
    """List what is gone since the last release, and not named among what is coming."""
    coming = changelog.partition("## [Unreleased]")[2].partition("\n## [")[0]
    named = re.findall(r"`([^`]+)`", coming)
    return [line for line in sorted({*listed} - {*found}) if last(line) not in named]


def last(line):
    """Return the name itself: what follows its room, and a format whole."""
    return line.partition(" ")[2]


def test_what_is_gone_since_the_last_release_is_named_in_the_changelog():
    head, *listed = (FOLDER / "public_names.txt").read_text("utf-8").splitlines()
    assert re.fullmatch(r"# What \d+\.\d+\.\d+ promises; .*", head)
    assert len(listed) == len({*listed}) >= 320
    assert f"\n## [{head.split()[2]}] - " in CHANGELOG
    assert gone_unnamed(listed, public_names.public_names(), CHANGELOG) == []


@facts(
    "coming, unnamed",
    [
        ("- `KVCache` is now `Cache`.", []),
        ("- KVCache is now `Cache`.", ["transformer.layers KVCache"]),
        ("", ["transformer.layers KVCache"]),
    ],
)
def test_a_name_that_is_gone_must_be_named_for_the_coming_version(coming, unnamed):
    listed = ["transformer.layers KVCache", "transformer.layers gelu"]
    changelog = f"# C\n\n## [Unreleased]\n\n{coming}\n\n## [0.1.0] - 2026-01-01\n"
    changelog += "\n- `KVCache` is new.\n"
    assert gone_unnamed(listed, listed[1:], changelog) == unnamed
    assert gone_unnamed(listed, listed, changelog) == []


def test_rooms_fields_flags_and_formats_are_public():
    found = [*public_names.public_names()]
    assert len(found) == len({*found})
    assert {
        "transformer generate",
        "transformer.layers KVCache",
        "TransformerConfig d_model",
        "train --steps",
        "format tested-transformer model, version 1",
    } <= {*found}
    assert not any("checks" in name or " _" in name for name in found)
