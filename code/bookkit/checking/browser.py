"""The browser that prints the site and tests it, and the folder of what it shows."""

import shutil
from collections.abc import Callable
from pathlib import Path

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
