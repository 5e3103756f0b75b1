"""Whoever lacks the library of the references is told once how to install it."""

import sys

from chapters.laboratory.tiny_models import has_transformers

SENTENCE = (
    "We go on without it: the comparison with Hugging Face needs transformers, which "
    'is not installed; run: pip install "tested-transformer[reference]"\n'
)


def test_library_that_is_there_needs_no_words(capsys):
    assert has_transformers()
    assert capsys.readouterr().out == ""


def test_reader_without_the_library_is_told_how_to_install_it(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "transformers", None)
    assert not has_transformers()
    assert capsys.readouterr().out == SENTENCE
