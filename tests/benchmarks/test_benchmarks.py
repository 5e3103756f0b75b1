"""The benchmarks measure what they say, and every case still runs."""

import itertools

import bench_command
import bench_writing
import pytest
import torch
from bench_case import Case, DisagreementError, Sides, check_agreement
from bench_measure import (
    Comparison,
    gauges,
    interleave,
    milliseconds,
    peak_memory,
    run_case,
)
from bench_record import case_of as case_to_keep
from bench_sizes import Sizes
from bench_table import row

from bookkit.checking.facts import facts

CPU = torch.device("cpu")
TINY = Sizes(
    batch=2,
    lengths=(3, 5),
    d_model=16,
    num_heads=2,
    d_ff=12,
    num_layers=1,
    vocab_size=11,
    language_d_model=16,
    language_d_ff=12,
    language_layers=1,
    language_heads=4,
    prompt=3,
    new_tokens=4,
    compiled=False,
    larger_tokens=0,
    translator_words=11,
    translator_d_model=8,
    translated=3,
    translated_length=5,
    seq2seq_d_model=8,
    seq2seq_heads=2,
    seq2seq_layers=1,
    seq2seq_batch=4,
    seq2seq_length=6,
    padded_rows=5,
    buckets=2,
    rows=7,
    memory_length=5,
)
CASES = list(bench_command.all_cases(TINY))


def case_of(**sides):
    return Case(name="sum", reference="torch", build=lambda device: Sides(**sides))


def compare(ours, reference, **options):
    readings = {"ours": ours, "reference": reference}
    return Comparison(
        Case(name="sum", reference="torch", build=None, **options), readings
    )


@pytest.fixture
def clock():
    """A clock that moves on by one second each time it is read."""
    return itertools.count().__next__


def test_sides_take_turns_and_the_first_round_does_not_count():
    order = []
    calls = {"ours": lambda: "ours", "reference": lambda: "reference"}

    def gauge(call):
        order.append(call())
        return len(order)

    readings = interleave(calls, 2, gauge)
    assert order == ["ours", "reference"] * 3
    assert readings == {"ours": [3, 5], "reference": [4, 6]}


def test_short_calls_are_repeated_until_a_reading_is_long_enough(clock):
    calls = []
    found = milliseconds(lambda: calls.append(1), clock=clock, at_least=4.0)
    assert found == 1000.0
    assert len(calls) == 4


def test_the_ratio_is_that_of_medians_and_the_spread_that_of_rounds():
    found = compare([1.0, 9.0, 2.0], [4.0, 3.0, 5.0])
    assert found.ratio() == 2.0 / 4.0
    assert found.spread() == (1.0 / 4.0, 9.0 / 3.0)


def test_the_reference_is_scaled_to_the_same_work(clock):
    one = torch.ones(1)
    case = case_of(ours=lambda: one, reference=lambda: one, work=3.0)
    gauge = {"ms": lambda call: milliseconds(call, clock=clock)}
    found = run_case(case, rounds=2, gauges=gauge, device=CPU)
    assert found.readings == {"ours": [1000.0] * 2, "reference": [3000.0] * 2}


def test_sides_that_disagree_are_refused_before_they_are_measured():
    case = case_of(ours=lambda: torch.zeros(2), reference=lambda: torch.ones(2))
    with pytest.raises(
        DisagreementError, match=r"disagree: .*at most 0\.001 apart, got 1$"
    ):
        run_case(case, rounds=1, gauges={}, device=CPU)


@facts(
    "other",
    [torch.ones(3), (torch.ones(2), torch.ones(2)), torch.tensor([1.0, torch.nan])],
    ids=["another shape", "another number", "NaN"],
)
def test_what_cannot_be_compared_disagrees(other):
    one = torch.ones(2)
    with pytest.raises(DisagreementError):
        check_agreement(Sides(ours=lambda: other, reference=lambda: one), 1.0)


def test_the_naive_side_must_agree_too():
    one = torch.ones(2)
    sides = Sides(ours=lambda: one, reference=lambda: one, naive=lambda: 1.01 * one)
    check_agreement(sides, 0.1)
    with pytest.raises(DisagreementError):
        check_agreement(sides, 1e-4)


def test_random_sides_are_compared_by_calls_of_their_own():
    one = torch.ones(2)
    random = {"ours": lambda: torch.rand(2), "reference": lambda: torch.rand(2)}
    check_agreement(Sides(**random, compared=(lambda: one, lambda: one)), 1e-4)
    with pytest.raises(DisagreementError):
        check_agreement(Sides(**random, compared=(lambda: one, lambda: -one)), 1e-4)


def test_memory_is_the_peak_of_what_tensors_take_at_once():
    def call():
        one = torch.zeros(2**18)  # of 4 bytes
        two = one + one
        del one
        return two + 1

    # the number 1 takes some bytes too
    assert peak_memory(call) == pytest.approx(2.0, rel=1e-4)
    assert peak_memory(lambda: torch.zeros(2**18)) == 1.0


@facts("case", CASES, ids=lambda case: case.name)
def test_each_case_runs_and_its_sides_agree(case):
    found = run_case(case, rounds=1, gauges=gauges(CPU, 0.0), device=CPU)
    assert found.ratio() > 0
    assert row(found).startswith(case.name)


def test_each_case_has_a_name_of_its_own():
    names = [(case.name, case.reference) for case in CASES]
    assert len(set(names)) == len(names)


@pytest.fixture
def written(monkeypatch):
    """The writers of a text, as small as can be in the place of the larger ones."""
    writers = bench_writing.small_llama(TINY, 2, CPU)
    monkeypatch.setattr(bench_writing, "smollm2", lambda device: writers)
    return writers


def test_a_token_can_be_written_no_faster_than_all_weights_are_read(written):
    sides = bench_writing.build_reading(TINY.new_tokens, CPU)
    check_agreement(sides, 0.0)  # of the tokens that are written
    every = sum(parameter.sum() for parameter in written.ours.parameters())
    torch.testing.assert_close(sides.reference(), every)
    assert sides.work == TINY.new_tokens


@facts("device, kept", [("cpu", None), ("cuda", 1500)])
def test_tokens_a_second_are_kept_of_a_machine_that_has_a_name(device, kept):
    found = compare([1.0, 4.0, 2.0], [4.0, 4.0, 4.0], tokens=3)
    assert case_to_keep(found, torch.device(device)).get("tokens a second") == kept
    none = compare([1.0], [4.0])
    assert "tokens a second" not in case_to_keep(none, torch.device("cuda"))


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command with a table of given cases; return its status and lines."""

    def command(cases, *arguments):
        monkeypatch.setattr(bench_command, "all_cases", lambda sizes: cases)
        try:
            status = bench_command.main(["--quick", *arguments])
        except SystemExit as end:
            status = end.code
        printed = capsys.readouterr()
        return status, (printed.out + printed.err).splitlines()

    return command


def sum_with(reference):
    sides = Sides(ours=lambda: torch.ones(1), reference=reference)
    return Case(name="sum", reference="torch", build=lambda device: sides, aim=2.0)


def test_a_run_whose_sides_disagree_is_not_kept(run, tmp_path):
    path = tmp_path / "bench.json"
    status, _ = run([sum_with(lambda: torch.zeros(1))], "--json", str(path))
    assert (status, path.exists()) == (1, False)
