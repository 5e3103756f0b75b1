"""Language models of several depths, without skips and without norms."""

from bookkit.checking.facts import facts
from chapters.residual_connections.depths import STUDY, VARIANTS, measured


@facts("variant", ["2 layers", "2 layers, no skips"])
def test_a_measurement_repeats_and_has_the_fields_of_the_file(variant):
    setting = {"variant": variant, "learning_rate": 1e-2, "steps": 12, "seed": 5}
    row = measured(**setting)
    assert row == measured(**setting)
    assert row["highest"] >= row["train"] > 0
    stored = next(row for row in STUDY.rows if row["variant"] == variant)
    assert {*setting, *row, "seconds"} == {*stored}


def test_what_is_taken_out_is_named():
    for name, (layers, part) in VARIANTS.items():
        expected = f"{layers} layers" + (f", {part}" if part != "all" else "")
        assert name == expected
