"""The browser that prints and tests the site, and a server of pages for it."""

import gzip
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from bookkit.book.errors import BookError

SITE = Path("_build/html")  # from the root of the book
# The shell is the same browser without a window, and opens a page in half the time.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    # The shell places letters by itself, unless it is told to as a browser does.
    "--font-render-hinting=slight",
    # Its own pages beneath the bar of addresses, which nobody sees: it loads them with
    # each window, and they take longer than a page of the book.
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup",
)
# What a host sends as it is: it is compressed already.
COMPRESSED = frozenset({".woff", ".woff2", ".png", ".jpg", ".webp", ".pdf", ".epub"})
LEVEL = 6


class _Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments: object) -> None:
        """Keep the output of the tests free of requests."""

    def send_head(self) -> BytesIO | BinaryIO | None:
        """Answer with a compressed file to a browser that takes one."""
        file = Path(self.translate_path(self.path))
        takes = "gzip" in self.headers.get("Accept-Encoding", "")
        if not takes or file.suffix in COMPRESSED or not file.is_file():
            return super().send_head()
        content = squeeze(file, file.stat().st_mtime_ns)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(file)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        return BytesIO(content)

    def end_headers(self) -> None:
        """Let a browser keep what it has for a while, as GitHub Pages does."""
        self.send_header("Cache-Control", "max-age=600")
        super().end_headers()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *arguments: object) -> None:
        """Pass over a browser that leaves before it has read everything."""


def find_chromium(which: Callable[[str], str | None] = shutil.which) -> str:
    """Find the browser on this machine.

    Args:
        which: Finds a program by its name.

    Raises:
        BookError: If there is no Chromium.
    """
    found = next(filter(None, map(which, NAMES)), None)
    if found is None:
        raise BookError(
            "Chromium must be installed, and is not here: install Debian's package "
            "chromium-headless-shell, or chromium."
        )
    return found


@cache
def squeeze(file: Path, changed: int) -> bytes:
    """Compress a file; `changed` is its time, so that a new one is read again."""
    return gzip.compress(file.read_bytes(), compresslevel=LEVEL, mtime=0)


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """Serve a folder on a free port, and yield its address, with a final slash."""
    server = _Server(("127.0.0.1", 0), partial(_Handler, directory=folder))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
