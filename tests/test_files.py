"""A file is whole or not there, and has one checksum."""

import hashlib
import json
import os
from pathlib import Path

import pytest
import torch
from safetensors import SafetensorError
from safetensors.torch import save_file

from bookkit.checking.facts import facts
from transformer.files import beside, checksum, disk_errors, read_json


@facts("algorithm", ["sha1", "sha256"])
def test_the_checksum_is_that_of_the_bytes(tmp_path, algorithm):
    path = tmp_path / "data.bin"
    path.write_bytes(b"some bytes")
    expected = hashlib.new(algorithm, b"some bytes").hexdigest()
    assert checksum(path, algorithm) == expected


def test_the_checksum_is_sha256_unless_another_is_asked_for(tmp_path):
    path = tmp_path / "empty"
    path.touch()
    assert checksum(path) == hashlib.sha256().hexdigest()


def test_the_bytes_are_read_anew_although_size_and_time_are_as_before(tmp_path):
    path = tmp_path / "data.bin"
    path.write_bytes(b"some bytes")
    checksum(path)
    before = path.stat()
    path.write_bytes(b"same bytes")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert checksum(path) == hashlib.sha256(b"same bytes").hexdigest()


def test_a_file_gets_its_name_when_it_is_written(tmp_path):
    path = tmp_path / "text.json"
    path.write_text("old")
    with beside(path) as part:
        part.write_text("new")
        assert (part.name, path.read_text()) == ("text.json.part", "old")
    assert path.read_text() == "new"
    assert not part.exists()


def test_a_folder_gets_its_name_when_it_is_filled(tmp_path):
    with beside(tmp_path / "step-7", ".unfinished") as folder:
        folder.mkdir()
        assert not (tmp_path / "step-7").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["step-7"]


def test_after_an_error_the_old_file_stays(tmp_path):
    path = tmp_path / "text.json"
    path.write_text("old")
    with pytest.raises(FileNotFoundError), beside(path) as part:
        (part / "no folder").write_text("new")
    assert path.read_text() == "old"
    assert not part.exists()


@facts("endings", [(".bin", ".json"), ("", ".json")])
def test_files_whose_names_differ_in_their_endings_are_written_side_by_side(
    tmp_path, endings
):
    one, other = (tmp_path / f"model.v2{ending}" for ending in endings)
    with beside(one) as first, beside(other) as second:
        first.write_text("one")
        second.write_text("other")
    assert (one.read_text(), other.read_text()) == ("one", "other")
    assert len(list(tmp_path.iterdir())) == 2


@facts(
    "number, kind",
    [(2, FileNotFoundError), (13, PermissionError), (28, OSError)],
)
def test_what_a_library_says_of_a_disk_names_the_file_and_the_reason(number, kind):
    with pytest.raises(kind) as caught, disk_errors(Path("folder") / "weights"):
        raise SafetensorError(f"I/O error: some words (os error {number})")
    error = caught.value
    assert (type(error), error.errno) == (kind, number)
    assert error.filename == str(Path("folder") / "weights")
    assert isinstance(error.__cause__, SafetensorError)


def test_a_folder_that_is_missing_is_told_as_python_tells_it(tmp_path):
    path = tmp_path / "none" / "weights"
    with pytest.raises(FileNotFoundError) as caught, disk_errors(path):
        save_file({"x": torch.ones(3)}, path)
    with pytest.raises(FileNotFoundError) as expected:
        path.write_bytes(b"")
    assert str(caught.value) == str(expected.value)


@facts(
    "error",
    [SafetensorError("no header"), OSError(5, "a disk", "another"), KeyError("x")],
    ids=repr,
)
def test_errors_that_name_no_number_of_a_disk_are_left_alone(error):
    with pytest.raises(type(error)) as caught, disk_errors(Path("weights")):
        raise error
    assert caught.value is error


@facts("pair", ["[]", "{}"])
@facts("depth, fits", [(50, True), (51, False), (9_999, False)])
def test_json_is_read_to_a_depth(tmp_path, pair, depth, fits):
    opening = "[" if pair == "[]" else '{"a":'
    inner = "7" if pair == "{}" else ""
    path = tmp_path / "deep.json"
    path.write_text(opening * depth + inner + pair[1] * depth)
    if fits:
        assert repr(read_json(path)).count(pair[0]) == depth
        return
    with pytest.raises(ValueError, match=r"^it is nested too deep$"):
        read_json(path)


@facts("text", ["7", '"a"', "null", "[]", '{"a": [1, {"b": 2}]}'])
def test_json_that_is_not_deep_is_read_as_it_is(tmp_path, text):
    path = tmp_path / "flat.json"
    path.write_text(text)
    assert read_json(path) == json.loads(text)
