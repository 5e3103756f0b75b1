"""Explorer: a training that one stops at any step, of the file and of a changed one."""

from chapters.one_page.logs import MACHINES, read_logs
from chapters.shared.explorer.frame import Explorer, choice

TEXT = "cabbage"
CHANGES = {
    "scrambled": "heads merged by reshape",
    "unmasked": "no causal mask",
    "no scale": "no division by the root",
    "no position": "no sinusoids",
}


def show() -> Explorer:
    """Show the losses of two machines, and what both write at one step."""
    logs = read_logs()
    return Explorer(
        chapter="one_page",
        name="one_page",
        title="the losses of two machines, and what both write at a step",
        instruction="Drag the step to the end: both curves arrive at 0.01, and only "
        "one machine writes <em>egabbac</em>. Then leave out the sinusoids: this "
        "mistake the loss does tell.",
        controls=[choice("change", "changed", CHANGES, value="scrambled")],
        data={
            "answer": TEXT[::-1] + ">",
            "step": 100,
            "lines": {name: MACHINES[name][0] for name in CHANGES},
            "logs": {name: _columns(logs[name]) for name in ("as it is", *CHANGES)},
        },
        uses=("drag",),
    )


def _columns(log: dict[int, tuple[float, str]]) -> list[list]:
    """Return the losses of every tenth step, and the texts."""
    losses, texts = zip(*log.values(), strict=True)
    return [[*losses], [*texts]]
