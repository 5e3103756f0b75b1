"""A download keeps what arrived, continues there, and never leaves a broken file."""

import errno
import hashlib
import socket
import sys
from inspect import unwrap
from random import Random

import pytest

from bookkit.checking.facts import facts
from transformer.data import DownloadError, download, fetch

CONTENT = Random(0).randbytes(200_003)
CHECKSUM = f"sha256:{hashlib.sha256(CONTENT).hexdigest()}"
OTHER = f"sha256:{'0' * 64}"


@pytest.fixture
def get(files, tmp_path):
    """Download the file of the server, into the cache or another folder."""
    files.content["data.bin"] = CONTENT

    def call(url=None, checksum=CHECKSUM, folder=tmp_path / "cache", **options):
        path = folder / "data.bin"
        options = {"pause": 1e-6, "attempts": 3, **options}
        return fetch(url or files.url("data.bin"), path, checksum=checksum, **options)

    return call


@pytest.fixture
def cache(tmp_path):
    """The folder into which `get` downloads."""
    folder = tmp_path / "cache"
    folder.mkdir()
    return folder


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@facts("kind", ["sha1", "sha256"])
def test_a_file_arrives_whole_and_under_its_name(get, tmp_path, kind):
    checksum = f"{kind}:{hashlib.new(kind, CONTENT).hexdigest().upper()}"
    path = get(checksum=checksum, folder=tmp_path)
    assert path.read_bytes() == CONTENT
    assert names(tmp_path) == ["data.bin"]


def test_missing_folders_are_made(get, tmp_path):
    assert get().parent == tmp_path / "cache"


def test_a_file_that_is_there_is_not_asked_for_again(get, files):
    get()
    files.asked.clear()
    assert get().read_bytes() == CONTENT
    assert files.asked == []


def test_a_lost_connection_continues_where_it_stopped(get, files):
    files.cuts = [70_001, 50_000]
    assert get().read_bytes() == CONTENT
    assert files.asked == [None, "bytes=70001-", "bytes=120001-"]


def test_a_server_that_cannot_continue_begins_from_zero(get, files, cache):
    files.ranges, files.cuts = False, [70_001]
    assert get().read_bytes() == CONTENT
    assert files.asked == [None, "bytes=70001-"]
    assert names(cache) == ["data.bin"]


@facts("shift", [-1, 1, -1009, 1009])
def test_a_rest_that_begins_elsewhere_is_not_taken(get, files, tmp_path, shift):
    files.shift, files.cuts, files.asked = shift, [70_001], []
    assert get(folder=tmp_path).read_bytes() == CONTENT
    assert files.asked == [None, "bytes=70001-", None]
    (tmp_path / "data.bin").rename(tmp_path / "data.bin.part")
    (tmp_path / "data.bin.part").write_bytes(CONTENT[:5003])
    assert get(folder=tmp_path).read_bytes() == CONTENT
    assert names(tmp_path) == ["data.bin"]


def test_another_call_continues_where_the_first_stopped(get, files, cache):
    files.cuts = [1000, 0, 0]
    with pytest.raises(DownloadError, match=r"1000 bytes are kept in .*\.part"):
        get()
    assert names(cache) == ["data.bin.part"]
    files.asked.clear()
    assert get().read_bytes() == CONTENT
    assert files.asked == ["bytes=1000-"]


def test_attempts_are_counted_anew_when_something_arrives(get, files):
    files.cuts = [9, 9, 9, 9, 9, 9, 9]
    assert get(attempts=2).read_bytes() == CONTENT


def test_a_whole_part_that_was_not_renamed_is_used(get, files, cache):
    (cache / "data.bin.part").write_bytes(CONTENT)
    assert get().read_bytes() == CONTENT
    assert files.asked == [f"bytes={len(CONTENT)}-"]


@facts("part", [b"another file", b"x" * 300_007])
def test_a_part_of_another_file_is_given_up(get, files, tmp_path, part):
    files.asked = []
    (tmp_path / "data.bin.part").write_bytes(part)
    assert get(folder=tmp_path).read_bytes() == CONTENT
    assert files.asked == [f"bytes={len(part)}-", None]


@facts("broken", [CONTENT[:-1], b"", CONTENT[:-1] + b"?"])
def test_a_broken_file_is_named_and_downloaded_again(get, cache, broken):
    (cache / "data.bin").write_bytes(broken)
    with pytest.warns(UserWarning, match="data.bin must have the checksum sha256:"):
        path = get()
    assert path.read_bytes() == CONTENT


def test_the_warning_points_to_the_call(files, cache):
    files.content["data.bin"] = CONTENT
    path = cache / "data.bin"
    path.write_bytes(b"")
    with pytest.warns(UserWarning, match="was cut or") as warned:
        unwrap(fetch)(
            files.url("data.bin"), path, checksum=CHECKSUM
        )  # without the type checks
    assert warned[0].filename == __file__


def test_a_file_that_has_changed_is_refused_and_not_kept(get, cache, refuses):
    message = f".*/data.bin.*got {CHECKSUM}.*the file has"
    refuses(lambda: get(checksum=OTHER), DownloadError, message)
    assert names(cache) == []


def test_a_broken_file_that_cannot_be_repaired_is_no_file(get, files, cache):
    (cache / "data.bin").write_bytes(b"old")
    files.content["data.bin"] = b"new"
    with (
        pytest.warns(UserWarning, match="is downloaded again"),
        pytest.raises(DownloadError, match="update the checksum if you trust"),
    ):
        get()
    assert len(files.asked) == 1


FAILURES = {
    "no answer": lambda files: files.answers.extend([503] * 3),
    "nothing arrives": lambda files: files.cuts.extend([0] * 3),
    "another file": lambda files: files.content.update({"data.bin": b"new"}),
}


@facts("fail", FAILURES.values(), ids=[*FAILURES])
def test_a_broken_file_stays_until_the_right_one_has_arrived(
    get, files, tmp_path, fail
):
    (tmp_path / "data.bin").write_bytes(b"old")
    fail(files)
    with (
        pytest.warns(UserWarning, match="is downloaded again"),
        pytest.raises(DownloadError),
    ):
        get(folder=tmp_path)
    assert (tmp_path / "data.bin").read_bytes() == b"old"


def test_a_wrong_address_is_refused_at_once(get, files, refuses):
    message = r".*/nowhere.*got the answer 404 \(Not Found\).*check"
    refuses(lambda: get(files.url("nowhere")), DownloadError, message)
    assert files.asked == [None]


def test_a_busy_server_is_asked_again(get, files):
    files.answers = [503, 429]
    assert get().read_bytes() == CONTENT
    assert len(files.asked) == 3


def test_pauses_are_doubled(get, files, monkeypatch):
    pauses = []
    monkeypatch.setattr(download.time, "sleep", pauses.append)
    files.answers = [503] * 3
    assert get(attempts=4, pause=0.5).read_bytes() == CONTENT
    assert pauses == [0.5, 1.0, 2.0]


def test_a_server_that_stays_busy_is_given_up(get, files, refuses):
    files.answers = [503] * 3
    message = r".*/data.bin.*got the answer 503 \(Service Unavailable\) 3 times"
    refuses(get, DownloadError, message)


def test_without_a_network_the_error_says_so(get, refuses):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/data.bin"
        message = f"{url} must be within reach, got .* 3 times; "
        message += "0 bytes are kept in .* run it"
        refuses(lambda: get(url), DownloadError, message)


def test_a_full_disk_is_not_taken_for_a_lost_connection(get, files, monkeypatch):
    class Full:
        def update(self, _):
            raise OSError(errno.ENOSPC, "No space left on device")

        __enter__ = lambda self: self  # noqa: E731
        __exit__ = lambda *_: None  # noqa: E731

    monkeypatch.setattr(download, "_bar", lambda *_: Full())
    with pytest.raises(OSError, match="No space left"):
        get()
    assert len(files.asked) == 1


def test_a_bar_is_shown_on_demand_only(get, cache, capfd):
    get()
    assert capfd.readouterr() == ("", "")
    (cache / "data.bin").unlink()
    get(progress=True)
    shown = capfd.readouterr().err
    assert "data.bin: 100%" in shown
    assert "200k/200k" in shown


@facts("terminal", [False, True])
@facts("progress", [None, False, True])
def test_a_bar_is_shown_in_a_terminal_unless_something_else_is_said(
    get, tmp_path, capsys, monkeypatch, progress, terminal
):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    get(progress=progress, folder=tmp_path)
    shown = terminal if progress is None else progress
    assert ("data.bin: 100%" in capsys.readouterr().err) == shown


def test_the_bar_must_be_installed(get, monkeypatch, refuses):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    message = "downloading needs tqdm, which is not installed; run: pip install "
    message += '"tested-transformer\\[training]"$'
    refuses(get, ImportError, message)


BAD_INPUTS = [
    (
        {"url": "file:///etc/hosts"},
        ValueError,
        "url.*got 'file:///etc/hosts'.*pass a full",
    ),
    ({"checksum": "0" * 64}, ValueError, "checksum.*got '0+'"),
    ({"checksum": "md5:" + "0" * 32}, ValueError, "checksum.*got 'md5:0+'.*copy"),
    ({"checksum": "sha1:" + "0" * 39}, ValueError, "checksum.*got 'sha1:0+'"),
    ({"checksum": "sha1:" + "g" * 40}, ValueError, "checksum.*got 'sha1:g+'"),
    ({"attempts": 0}, ValueError, "attempts must be at least 1"),
    ({"pause": 0.0}, ValueError, "pause must be finite and above 0"),
]


@facts("options, error, message", BAD_INPUTS)
def test_bad_input_is_refused_with_what_to_do(options, error, message, get, refuses):
    refuses(lambda: get(**options), error, message)


def test_a_folder_is_refused(files, tmp_path, refuses):
    refuses(
        lambda: fetch(files.url("data.bin"), tmp_path, checksum=CHECKSUM),
        IsADirectoryError,
        "path.*got the folder .*add the name",
    )
    assert files.asked == []
