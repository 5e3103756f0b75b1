"""Measuring: side by side in one run, in turn, with medians.

`torch.utils.benchmark` measures one statement after the other, so that a neighbor who
comes or goes changes the ratio. Here each round measures every side once.
"""

import gc
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from pathlib import Path
from statistics import median

import torch
from bench_case import Call, Case, check_agreement
from torch.profiler import ProfilerActivity, profile

MEBIBYTE = 2**20


@dataclass(frozen=True)
class Comparison:
    """What was read in each round, by side; the ratio is that of the medians."""

    case: Case
    readings: Mapping[str, list[float]]

    def median(self, side: str) -> float:
        """Return the middle one of the readings of a side."""
        return median(self.readings[side])

    def ratio(self, side: str = "ours") -> float:
        """Return how much of the reference's time or memory a side takes."""
        return self.median(side) / self.median("reference")

    def spread(self) -> tuple[float, float]:
        """Return the lowest and the highest ratio of a single round."""
        pairs = zip(self.readings["ours"], self.readings["reference"], strict=True)
        ratios = [ours / reference for ours, reference in pairs]
        return min(ratios), max(ratios)


def run_case(
    case: Case,
    *,
    rounds: int,
    gauges: Mapping[str, Callable[[Call], float]],
    device: torch.device,
) -> Comparison:
    """Build a case, check that its sides agree, and measure them."""
    torch.manual_seed(0)
    sides = case.build(device)
    check_agreement(sides, case.tolerance)  # and warms both sides up
    rounds = 1 if case.unit == "MiB" else rounds  # memory does not vary
    readings = interleave(sides.calls(), rounds, gauges[case.unit])
    readings["reference"] = [sides.work * x for x in readings["reference"]]
    return Comparison(case, readings)


def interleave(
    calls: Mapping[str, Call], rounds: int, gauge: Callable[[Call], float]
) -> dict[str, list[float]]:
    """Measure each call once in each round, after one round that does not count."""
    readings = {name: [] for name in calls}
    for counts in (False, *[True] * rounds):
        for name, call in calls.items():
            reading = gauge(call)
            if counts:
                readings[name].append(reading)
    return readings


def gauges(device: torch.device, at_least: float) -> dict[str, Callable]:
    """Return what measures time and memory on a device, by unit."""
    if device.type == "cpu":
        # The time of the processor, which no neighbor can take away.
        watch = partial(milliseconds, clock=time.process_time, at_least=at_least)
        return {"ms": watch, "MiB": peak_memory}

    def clock() -> float:
        torch.cuda.synchronize()
        return time.perf_counter()

    watch = partial(milliseconds, clock=clock, at_least=at_least)
    return {"ms": watch, "MiB": peak_memory_of_cuda}


def milliseconds(
    call: Call, *, clock: Callable[[], float], at_least: float = 0.0
) -> float:
    """Return the time of one call, which is repeated for `at_least` seconds."""
    collecting = gc.isenabled()
    gc.disable()  # the collector would count against whoever happens to run
    calls, passed, start = 0, 0.0, clock()
    try:
        while calls == 0 or passed < at_least:
            call()
            calls += 1
            passed = clock() - start
    finally:
        if collecting:
            gc.enable()
    return 1000 * passed / calls


def peak_memory(call: Call) -> float:
    """Return the most memory that tensors took at once beyond what they took before.

    PyTorch counts each allocation. That is the same number at every run, while the
    memory of the process depends on what the system keeps for later.
    """
    os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # it talks on stderr otherwise
    # There is one cycle only, but torch 2.10 warns that events of others are lost.
    with profile(
        activities=[ProfilerActivity.CPU], profile_memory=True, acc_events=True
    ) as profiler:
        result = call()
    del result
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        profiler.export_chrome_trace(str(path))
        events = json.loads(path.read_text(encoding="utf-8"))["traceEvents"]
    events = [event for event in events if event["name"] == "[memory]"]
    changes = [event["args"]["Bytes"] for event in sorted(events, key=when)]
    return max(accumulate(changes), default=0) / MEBIBYTE


def when(event: Mapping) -> float:
    """Return when an event took place."""
    return event["ts"]


def peak_memory_of_cuda(call: Call) -> float:
    """Return the most memory that tensors took at once beyond what they took before."""
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    call()
    torch.cuda.synchronize()
    return (torch.cuda.max_memory_allocated() - before) / MEBIBYTE


def settle_memory() -> None:
    """Let the allocator of the system keep what is freed.

    The one of Linux gives large blocks back at once, and then pays for each page again,
    until it has seen a block of some 32 MiB freed. Without this, times would depend on
    what ran before.
    """
    torch.ones(31 * MEBIBYTE // 4)


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute in one thread: two of them measure how busy the neighbors are."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
