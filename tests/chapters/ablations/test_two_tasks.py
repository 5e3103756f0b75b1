"""The same changes in the language model, as their own chapters measured them."""

from chapters.ablations.changes import VARIANTS
from chapters.ablations.two_tasks import STEPS, STUDIES, in_the_language_model
from chapters.laboratory.study import Results, Verdict


def test_the_language_model_gains_by_what_the_chapters_measured():
    gains = in_the_language_model()
    assert set(gains) <= set(VARIANTS)
    assert gains["rotary"].verdict() == Verdict.AHEAD
    assert gains["no positions"].verdict() == Verdict.BEHIND
    assert gains["SwiGLU"].mean > 0 > gains["no scale"].mean


def test_norms_are_taken_out_without_other_embeddings():
    from_large_ones = Results("rms_norm").compare("none", "LayerNorm", "nats")
    assert in_the_language_model()["no norm"].mean < from_large_ones.gains[STEPS].low


def test_each_change_stands_in_one_place_and_has_a_baseline():
    changed = [name for _, _, changes in STUDIES for name in changes.values()]
    assert sorted(changed) == sorted(in_the_language_model())
    for study, baseline, changes in STUDIES:
        assert STEPS in study.trained_steps
        known = {row["variant"] for row in study.rows}
        assert {baseline, *changes} <= known
