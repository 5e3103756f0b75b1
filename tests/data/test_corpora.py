"""Corpora are downloaded once, cleaned, turned around on demand and split."""

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from bookkit.checking.facts import facts
from transformer.data import CORPORA, DataError, Pair, load_corpus
from transformer.data.corpora import Archive, cache_folder, split_by_source
from transformer.data.download import check_checksum, check_url


@pytest.fixture
def publish(files, monkeypatch):
    """Put archives of a corpus onto the server, and its entry in their place."""

    def put(name, *archives):
        entries = []
        for number, (content, members) in enumerate(archives):
            files.content[f"{number}.bin"] = content
            checksum = f"sha256:{hashlib.sha256(content).hexdigest()}"
            url = files.url(f"{number}.bin")
            entries.append(Archive(url=url, checksum=checksum, members=members))
        entry = replace(CORPORA[name], archives=tuple(entries))
        monkeypatch.setitem(CORPORA, name, entry)

    return put


@pytest.fixture
def multi30k(publish, tar):
    """Three small archives with two files each."""
    parts = {"train": b"a\nb\n\n", "val": b"c\n", "test": b"d\n"}
    archives = []
    for part, text in parts.items():
        both = {f"{part}.en": text, f"{part}.de": text.upper(), f"._{part}.de": b"\x80"}
        archives.append((tar(both), (f"{part}.en", f"{part}.de")))
    publish("multi30k-en-de", *archives)


@pytest.fixture
def tatoeba(publish, zipped):
    """A small archive with one file; each sentence, of both sides, is in two pairs."""
    partners = [(i, j % 53) for i in range(53) for j in (i, i + 1)]
    lines = [f"line {i}\tligne {j}.\tCC-BY\n" for i, j in partners]
    content = zipped({"fra-eng/fra.txt": "".join(lines), "_about.txt": "about"})
    publish("tatoeba-en-fr", (content, ("fra.txt",)))


@pytest.mark.usefixtures("multi30k")
def test_published_splits_are_kept(tmp_path):
    splits, reports = load_corpus("multi30k-en-de", folder=tmp_path)
    assert splits == ([("a", "A"), ("b", "B")], [("c", "C")], [("d", "D")])
    assert [report.kept for report in reports] == [2, 1, 1]
    assert reports[0].counts == {"empty": 1}
    assert str(reports) == (
        "train.en and train.de: 2 of 3 lines kept\n"
        "  1 left out, empty (a side without text), first in line 3\n"
        "val.en and val.de: 1 of 1 lines kept\n"
        "test.en and test.de: 1 of 1 lines kept"
    )


@pytest.mark.usefixtures("multi30k")
def test_a_corpus_can_be_turned_around(tmp_path):
    splits, _ = load_corpus("multi30k-en-de", folder=tmp_path, reverse=True)
    assert splits == ([("A", "a"), ("B", "b")], [("C", "c")], [("D", "d")])


@pytest.mark.usefixtures("multi30k")
def test_a_corpus_is_downloaded_once(tmp_path, files):
    first = load_corpus("multi30k-en-de", folder=str(tmp_path)).splits
    assert load_corpus("multi30k-en-de", folder=tmp_path).splits == first
    assert len(files.asked) == 3
    found = sorted(path.name for path in (tmp_path / "multi30k-en-de").iterdir())
    assert found == ["0.bin", "1.bin", "2.bin"]


@pytest.mark.usefixtures("tatoeba")
@facts("reverse", [False, True])
def test_a_corpus_without_splits_is_split_by_source(tmp_path, reverse):
    splits, _ = load_corpus("tatoeba-en-fr", folder=tmp_path, reverse=reverse)
    # A tenth of the sources for each, with both translations.
    assert [len(split) for split in splits] == [86, 10, 10]
    sources = [{pair.source for pair in split} for split in splits]
    assert [len(each) for each in sources] == [43, 5, 5]
    assert len(set.union(*sources)) == 53


@pytest.mark.usefixtures("tatoeba")
def test_the_seed_decides_the_split(tmp_path):
    zero, again, one = (
        load_corpus("tatoeba-en-fr", folder=tmp_path, seed=seed).splits
        for seed in (0, 0, 1)
    )
    assert zero == again
    assert zero.test != one.test


def test_a_split_holds_a_thousand_sentences_at_most():
    splits = split_by_source([Pair(f"{i}", f"{i}") for i in range(10_007)], seed=0)
    assert [len(split) for split in splits] == [8_007, 1_000, 1_000]


@pytest.mark.usefixtures("tatoeba")
def test_long_sentences_are_left_out(tmp_path):
    _, (report,) = load_corpus("tatoeba-en-fr", folder=tmp_path, max_len=8)
    assert report.counts == {"too long": 86}


@pytest.mark.usefixtures("tatoeba")
def test_the_cache_is_where_the_variable_says(tmp_path, monkeypatch):
    monkeypatch.setenv("TRANSFORMER_CACHE", str(tmp_path / "here"))
    load_corpus("tatoeba-en-fr")
    assert (tmp_path / "here" / "tatoeba-en-fr" / "0.bin").is_file()


@facts("value", [None, ""])
def test_the_cache_is_in_the_home_folder_otherwise(monkeypatch, value):
    monkeypatch.delenv("TRANSFORMER_CACHE", raising=False)
    if value is not None:
        monkeypatch.setenv("TRANSFORMER_CACHE", value)
    assert cache_folder() == Path.home() / ".cache" / "tested-transformer"


def test_without_a_home_the_variable_is_told(monkeypatch, refuses):
    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("TRANSFORMER_CACHE", raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    message = "there must be a folder for downloads, got no home .*TRANSFORMER_CACHE"
    refuses(cache_folder, DataError, message)


@facts("corpus", CORPORA.values(), ids=[*CORPORA])
def test_each_entry_can_be_fetched_and_names_its_terms(corpus):
    for archive in corpus.archives:
        check_url(archive.url)
        check_checksum(archive.checksum)
        assert len(archive.members) in (1, 2)
    assert len(corpus.archives) in (1, 3)
    assert corpus.licence
    assert corpus.source


BAD_INPUTS = [
    (lambda: load_corpus("wmt14"), ValueError, "name.*got 'wmt14'.*choose one"),
    (lambda: load_corpus("tatoeba-en-fr", seed=-1), ValueError, "seed.*got -1"),
]


@facts("call, error, message", BAD_INPUTS)
def test_bad_input_is_refused_with_what_to_do(call, error, message, refuses):
    refuses(call, error, message)
