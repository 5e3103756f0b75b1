"""A server on this machine, for downloads that need no network."""

import io
import tarfile
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


class Files:
    """What the server has, how it behaves and what it was asked."""

    def __init__(self, address):
        self.address = address
        self.content = {}
        self.ranges = True  # whether it can send the rest of a file
        self.shift = 0  # how far from where it was asked to it begins the rest
        self.cuts = []  # after how many bytes each next answer stops
        self.answers = []  # codes of the next answers, before any file is sent
        self.asked = []  # the range that each request asked for

    def url(self, name):
        host, port = self.address
        return f"http://{host}:{port}/{name}"


class Handler(BaseHTTPRequestHandler):
    """Send files, whole or from a byte on, sometimes not to their end."""

    def do_GET(self):
        files, wanted = self.server.files, self.headers.get("Range")
        files.asked.append(wanted)
        content = files.content.get(self.path.removeprefix("/"))
        if files.answers or content is None:
            return self.send_error(files.answers.pop(0) if files.answers else 404)
        start = int(wanted[6:-1]) + files.shift if wanted and files.ranges else 0
        if start and start >= len(content):
            return self.send_error(416)
        self.send_response(206 if start else 200)
        if start:
            span = f"bytes {start}-{len(content) - 1}/{len(content)}"
            self.send_header("Content-Range", span)
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        end = start + files.cuts.pop(0) if files.cuts else None
        self.wfile.write(content[start:end])

    def log_message(self, *_):
        """Stay silent."""


@pytest.fixture
def files():
    """A server; its files, its behavior and the requests it got."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.files = Files(server.server_address)
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.01}
    )
    thread.start()
    yield server.files
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def tar():
    """Make a tar.gz archive of named bytes."""

    def make(members):
        held = io.BytesIO()
        with tarfile.open(fileobj=held, mode="w:gz") as archive:
            for name, content in members.items():
                info = tarfile.TarInfo(name)
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
        return held.getvalue()

    return make


@pytest.fixture
def zipped():
    """Make a zip archive of named bytes."""

    def make(members):
        held = io.BytesIO()
        with zipfile.ZipFile(held, "w") as archive:
            for name, content in members.items():
                archive.writestr(name, content)
        return held.getvalue()

    return make
