"""Published corpora by name: downloaded once, checked, cleaned and split."""

import os
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import NamedTuple
from urllib.parse import urlsplit

from transformer.checks.values import check_choice, check_size
from transformer.data.archives import read_members
from transformer.data.download import fetch
from transformer.data.pairs import DataError, Pair, Splits
from transformer.data.parallel_text import ReadResult, read_streams
from transformer.data.read_report import Reports

CACHE_VARIABLE = "TRANSFORMER_CACHE"
# Most sentences of a split that is cut off where none is published, and the share of
# all sentences that it may take.
HELD_OUT, HELD_OUT_SHARE = 1_000, 0.1


@dataclass(frozen=True, kw_only=True)
class Archive:
    """Describe where a part of a corpus is, and what is in it.

    Args:
        url: The address.
        checksum: "sha256:" or "sha1:" and the digits.
        members: The file of both languages, or those of the first and the second.
    """

    url: str
    checksum: str
    members: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Corpus:
    """Describe where a corpus is, and what may be done with it.

    Args:
        languages: The language of the sources and that of the targets.
        archives: Those of training, validation and test; or one, which is split here.
        licence: Under which terms it is published.
        source: Who made it, and where address and checksum are stated together.
    """

    languages: tuple[str, str]
    archives: tuple[Archive, ...]
    licence: str
    source: str


MULTI30K_MIRROR = (
    "https://raw.githubusercontent.com/neychev/small_DL_repo/master/datasets/Multi30k"
)

CORPORA = {
    "multi30k-en-de": Corpus(
        languages=("en", "de"),
        archives=(
            Archive(
                url=f"{MULTI30K_MIRROR}/training.tar.gz",
                checksum="sha256:"
                "20140d013d05dd9a72dfde46478663ba05737ce983f478f960c1123c6671be5e",
                members=("train.en", "train.de"),
            ),
            Archive(
                url=f"{MULTI30K_MIRROR}/validation.tar.gz",
                checksum="sha256:"
                "a7aa20e9ebd5ba5adce7909498b94410996040857154dab029851af3a866da8c",
                members=("val.en", "val.de"),
            ),
            # Not the bytes of the first publisher, whose server is down.
            Archive(
                url=f"{MULTI30K_MIRROR}/mmt16_task1_test.tar.gz",
                checksum="sha256:"
                "6d1ca1dba99e2c5dd54cae1226ff11c2551e6ce63527ebb072a1f70f72a5cd36",
                members=("test.en", "test.de"),
            ),
        ),
        licence="none stated with the data (github.com/multi30k/dataset); for study",
        source="Elliott et al. (2016); addresses and checksums: torchtext, "
        "datasets/multi30k.py since github.com/pytorch/text/pull/2194",
    ),
    "tatoeba-en-fr": Corpus(
        languages=("en", "fr"),
        archives=(
            Archive(
                url="http://d2l-data.s3-accelerate.amazonaws.com/fra-eng.zip",
                checksum="sha1:94646ad1522d915e7b0f9296181140edcf86a4f5",
                members=("fra.txt",),
            ),
        ),
        licence="CC BY 2.0 FR (tatoeba.org)",
        source="the contributors of tatoeba.org; address and checksum: Zhang et al., "
        "Dive into Deep Learning, section Machine Translation and the Dataset",
    ),
}


class LoadedCorpus(NamedTuple):
    """The splits of a corpus, and what was left out of each archive."""

    splits: Splits
    reports: Reports


def load_corpus(
    name: str,
    *,
    folder: str | Path | None = None,
    reverse: bool = False,
    max_len: int = 500,
    seed: int = 0,
    progress: bool | None = None,
) -> LoadedCorpus:
    """Return a corpus by name, downloaded once and then kept.

    A corpus that is published without splits is split by drawing source sentences:
    all translations of a sentence are in one split. Validation and test get a thousand
    sentences each, a tenth of all at most.

    Args:
        name: One of `CORPORA`.
        folder: Where downloads are kept; when not given, the folder that the variable
            TRANSFORMER_CACHE names, else ~/.cache/tested-transformer.
        reverse: Whether to read the second language and write the first.
        max_len: Most characters of a sentence.
        seed: How a corpus without splits is split.
        progress: Whether to show a bar; in a terminal only when None.

    Raises:
        DataError: If the corpus cannot be had, was changed where it is, or nothing in
            it can be used.
    """
    check_choice("name", name, CORPORA)
    check_size("seed", seed, minimum=0, maximum=None)
    corpus = CORPORA[name]
    place = (cache_folder() if folder is None else Path(folder)) / name
    parts, reports = [], []
    for archive in corpus.archives:
        pairs, report = _read(archive, place, max_len, progress)
        parts.append([Pair(*pair[::-1]) for pair in pairs] if reverse else pairs)
        reports.append(report)
    splits = Splits(*parts) if len(parts) > 1 else split_by_source(parts[0], seed=seed)
    return LoadedCorpus(splits, Reports(reports))


def cache_folder() -> Path:
    """Return the default folder of downloads.

    Raises:
        DataError: If nothing says where it is.
    """
    if chosen := os.environ.get(CACHE_VARIABLE):
        return Path(chosen)
    try:
        return Path.home() / ".cache" / "tested-transformer"
    except RuntimeError as error:
        raise DataError(
            "there must be a folder for downloads, got no home to make it in; set the "
            f"variable {CACHE_VARIABLE} to one."
        ) from error


def split_by_source(pairs: list[Pair], *, seed: int) -> Splits:
    """Return three splits of pairs; no source sentence is in two of them."""
    sources = list(dict.fromkeys(pair.source for pair in pairs))
    Random(seed).shuffle(sources)
    size = min(HELD_OUT, int(HELD_OUT_SHARE * len(sources)))
    validation, test = set(sources[:size]), set(sources[size : 2 * size])
    splits = Splits([], [], [])
    for pair in pairs:
        if pair.source in validation:
            splits.validation.append(pair)
        else:
            (splits.test if pair.source in test else splits.train).append(pair)
    return splits


def _read(
    archive: Archive, place: Path, max_len: int, progress: bool | None
) -> ReadResult:
    """Return the pairs of an archive, downloaded if it is not there."""
    path = place / Path(urlsplit(archive.url).path).name
    fetch(archive.url, path, checksum=archive.checksum, progress=progress)
    files = read_members(path, archive.members)
    return read_streams(*files, name=" and ".join(archive.members), max_len=max_len)
