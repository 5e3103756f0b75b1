"""Serve a folder of pages to the browser of the tests."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class _Handler(SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        """Keep the output of the tests free of requests."""


class _Server(ThreadingHTTPServer):
    def handle_error(self, *arguments: object) -> None:
        """Pass over a browser that leaves before it has read everything."""


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """Serve a folder on a free port; the value is its address, with a final slash."""
    server = _Server(("127.0.0.1", 0), partial(_Handler, directory=folder))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
