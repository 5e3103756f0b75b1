"""Tests of packages that may be missing."""

import math

from transformer.packages import need


def test_what_is_there_is_imported():
    assert need("math", what="counting needs") is math


def test_what_is_missing_is_named_with_what_to_install(refuses):
    refuses(
        lambda: need("missing_package.part", what="flying needs"),
        ImportError,
        "^flying needs missing_package, which is not installed; run: pip install "
        "missing_package$",
    )
    refuses(
        lambda: need("missing_package", what="flying needs", install="wings"),
        ImportError,
        "flying needs missing_package, .*run: pip install wings$",
    )
