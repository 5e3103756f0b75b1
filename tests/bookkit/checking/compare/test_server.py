import os
import signal
import sys
from queue import Empty
from types import SimpleNamespace

import pytest

from bookkit.book.errors import BookError
from bookkit.checking.compare.items import FORKS, NotebookFile
from bookkit.checking.compare.kernel import Kernel
from bookkit.checking.compare.plugin import KEPT, _Kernels
from bookkit.checking.compare.server import CAN_FORK, Forks

pytestmark = pytest.mark.skipif(not CAN_FORK, reason="kernels are fresh ones there")
START = 120  # seconds: the machine may be busy


@pytest.fixture(scope="module")
def forks():
    forks = Forks(("matplotlib.pyplot", "ipykernel.ipkernel", "not_there"))
    yield forks
    forks.close()


@pytest.fixture
def kernel(forks, tmp_path):
    kernel = Kernel(str(tmp_path), START, forks)
    yield kernel
    if kernel.is_started():
        kernel.stop()


def run(kernel, source):
    """Return the messages of a cell."""
    asked = kernel.execute_cell_input(source)
    kernel.await_reply(asked, timeout=START)
    messages = []
    while True:
        message = kernel.get_message("iopub", timeout=START)
        if message["parent_header"].get("msg_id") == asked:
            messages.append(message)
            if message["content"].get("execution_state") == "idle":
                return messages


def printed(kernel, source):
    texts = [message["content"].get("text", "") for message in run(kernel, source)]
    return "".join(texts).strip()


def test_a_kernel_begins_with_the_libraries_and_without_the_tools(kernel, tmp_path):
    source = "import os, sys\nprint(os.getcwd(), 'matplotlib.pyplot' in sys.modules)"
    assert printed(kernel, source) == f"{tmp_path} True"
    source = "print([m for m in sys.modules if m.startswith(('bookkit', '_pytest'))])"
    assert printed(kernel, source) == "[]"
    assert printed(kernel, "import html; print(html.escape('<'))") == "&lt;"


def test_a_kernel_has_the_environment_of_its_start(forks, tmp_path, monkeypatch):
    monkeypatch.setenv("BOOK_WORD", "tea")
    kernel = Kernel(str(tmp_path), START, forks)
    source = "import os\nprint(os.environ['BOOK_WORD'])"
    assert printed(kernel, source) == "tea"
    kernel.stop()


def test_what_one_kernel_holds_no_other_one_sees(forks, kernel, tmp_path):
    run(kernel, "x = 1\nimport matplotlib\nmatplotlib.rcParams['font.size'] = 29")
    other = Kernel(str(tmp_path), START, forks)
    source = "import matplotlib\nprint('x' in dir(), matplotlib.rcParams['font.size'])"
    assert printed(other, source) == "False 10.0"
    other.stop()


def test_figures_are_shown_as_in_a_fresh_kernel(kernel):
    messages = run(kernel, "import matplotlib.pyplot as plt\nplt.plot([1, 3]);")
    shown = [m["content"]["data"] for m in messages if m["msg_type"] == "display_data"]
    assert [set(data) for data in shown] == [{"image/png", "text/plain"}]


def test_an_interrupted_kernel_goes_on(kernel):
    asked = kernel.execute_cell_input("import time\nwhile True: time.sleep(0.01)")
    with pytest.raises(Empty):
        kernel.await_reply(asked, timeout=0.5)
    kernel.end = float("inf")
    kernel.interrupt()
    kernel.await_reply(asked, timeout=START)
    assert kernel.is_alive()
    assert printed(kernel, "print(23)") == "23"


def test_processes_of_a_cell_are_possible(kernel):
    source = "import subprocess, sys\nprint(subprocess.check_output("
    source += "[sys.executable, '-c', 'print(29)'], text=True))"
    assert printed(kernel, source) == "29"


def test_the_end_of_a_kernel_is_noticed(kernel):
    kernel.execute_cell_input("import os\nos._exit(3)")
    process = kernel.km.provisioner.process
    while process.poll() is None:
        pass
    assert process.poll() == process.wait() == 3
    assert not kernel.is_alive()


def test_a_stopped_kernel_is_gone(kernel):
    process = kernel.km.provisioner.process
    kernel.stop()
    assert process.code == -signal.SIGKILL
    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, 0)


def test_a_server_that_is_gone_is_named(tmp_path, monkeypatch):
    forks = Forks()
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(BookError, match="--fresh-kernels"):
        forks.start([], str(tmp_path), {})
    forks.close()


@pytest.mark.parametrize(
    ("notebooks", "fresh", "forked"),
    [(2, False, True), (2, True, False), (1, False, False), (0, False, False)],
)
def test_kernels_of_several_notebooks_are_forks(
    notebooks, fresh, forked, monkeypatch, tmp_path
):
    monkeypatch.setenv(KEPT, "restored at the end")
    monkeypatch.delenv(KEPT)
    files = [NotebookFile.__new__(NotebookFile) for _ in range(notebooks)]
    items = [SimpleNamespace(parent=parent) for parent in [object(), *files, *files]]
    config = SimpleNamespace(
        stash=pytest.Stash(), getoption=lambda name: fresh, rootpath=tmp_path
    )
    session = SimpleNamespace(items=items, config=config)
    _Kernels().pytest_collection_finish(session)
    assert (FORKS in config.stash) == (KEPT in os.environ) == forked
    _Kernels().pytest_sessionfinish(session)


def test_what_still_runs_ends_with_the_server(tmp_path):
    forks = Forks(())
    pid = forks.start(["-f", str(tmp_path / "kernel.json")], str(tmp_path), os.environ)
    assert forks.exit_code(pid) is None
    forks.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
