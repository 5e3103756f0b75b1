"""The bill of materials of the whole book, as `make release` publishes it."""

import json
from pathlib import Path

import pytest

from bookkit.book.files import find_root
from bookkit.book.pins import pins
from bookkit.publishing.bill import faults_of_bill, make_bill

ROOT = find_root(Path(__file__))


@pytest.fixture(scope="module")
def bill():
    return make_bill(ROOT)


@pytest.fixture(scope="module")
def components(bill):
    listed = json.loads(bill.read_text("utf-8"))["components"]
    return {component["name"]: component for component in listed}


def test_it_has_the_form_of_cyclonedx(bill):
    head = json.loads(bill.read_text("utf-8"))
    assert (head["bomFormat"], head["specVersion"]) == ("CycloneDX", "1.6")
    assert head["metadata"]["component"]["name"] == "tested-transformer"


def test_each_package_that_the_book_asks_for_is_listed_in_its_version(bill):
    assert faults_of_bill(bill, pins(ROOT)) == []


def test_what_comes_in_no_package_is_listed(components):
    assert {"KaTeX", "MiniSearch", "Bootstrap", "Font Awesome Free"} <= set(components)
    assert components["Noto Serif CJK SC"]["version"] == "2.001"


def test_nothing_is_listed_twice(bill):
    listed = json.loads(bill.read_text("utf-8"))["components"]
    names = [component["name"].lower().replace(" ", "-") for component in listed]
    assert len(names) == len(set(names))


def test_nearly_every_license_is_known(components):
    unknown = [name for name, c in components.items() if not c.get("licenses")]
    assert len(unknown) <= len(components) // 20


def test_no_path_of_this_machine_stands_in_it(bill):
    text = bill.read_text("utf-8")
    assert str(ROOT) not in text
    assert "file:" not in text
