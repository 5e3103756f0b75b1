"""Where the book is run: what differs from one reader's computer to another's."""

import locale
import os
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

# A zone 14 hours ahead of Greenwich, where the date is nearly always another.
ZONE, AHEAD = "Pacific/Kiritimati", 14 * 3600
# Languages with a decimal comma; the Turkish i is no capital of I. The last is
# everywhere.
LOCALES = ("tr_TR.UTF-8", "de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8")
# Where there is no folder, and none can be made.
NO_HOME = f"{os.devnull}/home"
_FOLDERS = ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "MPLCONFIGDIR")
_CACHES = ("HF_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
_PROXIES = ("http_proxy", "https_proxy", "all_proxy")


@dataclass(frozen=True)
class Environment:
    """What is changed for a run of the notebooks.

    Args:
        words: How the environment is called in a table.
        probe: Code of a cell that prints ``True`` where the change is in effect.
        variables: Environment variables to set, or to remove (None).
        startup: Code that every kernel runs first.
        shuffled: Whether the notebooks run in another order, in one process.
    """

    words: str
    probe: str
    variables: Mapping[str, str | None] = field(default_factory=dict)
    startup: str = ""
    shuffled: bool = False

    def applied(self, folder: Path) -> dict[str, str]:
        """Return all variables of the environment.

        Args:
            folder: An empty folder for what kernels run first.
        """
        changes = dict(self.variables)
        if self.startup:
            startup = folder / "profile_default" / "startup"
            startup.mkdir(parents=True)
            code = textwrap.dedent(self.startup)
            (startup / "00-environment.py").write_text(code, "utf-8")
            changes["IPYTHONDIR"] = str(folder)
        kept = {k: v for k, v in os.environ.items() if k not in changes}
        return kept | {k: v for k, v in changes.items() if v is not None}


def _threads(count: int) -> dict[str, str]:
    """Set the number of threads of every library; one that waits lets others run."""
    libraries = ("OMP", "MKL", "OPENBLAS")
    threads = {f"{library}_NUM_THREADS": str(count) for library in libraries}
    return threads | {"OMP_WAIT_POLICY": "PASSIVE", "KMP_BLOCKTIME": "0"}


def _without(names: Iterable[str]) -> dict[str, None]:
    """Remove variables, in small letters and in capitals."""
    return {given: None for name in names for given in (name, name.upper())}


def another_locale() -> str:
    """Return the first of the locales that this machine has."""
    before = locale.setlocale(locale.LC_ALL)
    try:
        return next(name for name in LOCALES if _has(name))
    finally:
        locale.setlocale(locale.LC_ALL, before)


def _has(name: str) -> bool:
    try:
        locale.setlocale(locale.LC_ALL, name)
    except locale.Error:
        return False
    return True


# A chapter asks for one thread; this keeps it from that.
_TWO_THREADS = """\
import torch
torch.set_num_threads(2)
torch.set_num_threads = lambda count: None
del torch
"""
_ADOPT_LOCALE = """\
import locale
locale.setlocale(locale.LC_ALL, "")
del locale
"""
_OFFLINE = """\
def refuse():
    import sys

    def hook(event, arguments):
        host = None
        if event in ("socket.connect", "socket.sendto"):
            address = arguments[1]
            host = address[0] if isinstance(address, tuple) else None
        elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
            host = arguments[0]
        if host not in (None, "", "localhost", "127.0.0.1", "::1", "0.0.0.0"):
            raise OSError(f"offline: {host!r}")

    sys.addaudithook(hook)

refuse()
del refuse
"""
_SECOND_DEVICE = """\
from bookkit.checking.determinism.second_device import install
install()
del install
"""
_ASKS_ABROAD = """\
import urllib.request
try:
    urllib.request.urlopen("http://example.org", timeout=9)
except OSError as error:
    print("offline" in str(error))
"""


def environments() -> dict[str, Environment]:
    """List the environments by their names."""
    language = another_locale()
    return {
        "default": Environment(
            "nothing changed", "print(torch.get_num_threads() == 1)"
        ),
        "one-thread": Environment(
            "one thread in every library",
            "import os\n"
            "print(torch.get_num_threads() == 1 == int(os.environ['OMP_NUM_THREADS']))",
            _threads(1),
        ),
        "two-threads": Environment(
            "two threads in every library",
            "print(torch.get_num_threads() == 2)",
            _threads(2),
            _TWO_THREADS,
        ),
        "avx2": Environment(
            "a processor with AVX2 and no more",
            "print(torch.backends.cpu.get_cpu_capability() == 'AVX2')",
            {
                "ATEN_CPU_CAPABILITY": "avx2",
                "MKL_ENABLE_INSTRUCTIONS": "AVX2",
                "ONEDNN_MAX_CPU_ISA": "AVX2",
                "OPENBLAS_CORETYPE": "Haswell",
            },
        ),
        "shuffled": Environment(
            "chapters in another order, one after the other",
            "print(True)",
            shuffled=True,
        ),
        "locale": Environment(
            f"the locale {language.split('.')[0]}, the time of {ZONE}",
            "import locale, time\n"
            f"print(locale.setlocale(locale.LC_ALL) == {language!r}\n"
            f"      and time.localtime().tm_gmtoff == {AHEAD})",
            {"LC_ALL": language, "LANG": language, "LANGUAGE": None, "TZ": ZONE},
            _ADOPT_LOCALE,
        ),
        "homeless": Environment(
            "no home folder",
            "from pathlib import Path\nprint(not Path.home().exists())",
            {"HOME": NO_HOME, **dict.fromkeys([*_FOLDERS, *_CACHES])},
        ),
        "offline": Environment(
            "no network", _ASKS_ABROAD, _without(_PROXIES), _OFFLINE
        ),
        "second-device": Environment(
            "a second device, whose tensors refuse to mix with the CPU's",
            "print(torch.zeros(1).is_cuda)",
            startup=_SECOND_DEVICE,
        ),
    }
