"""The number of heads in the language model, and the file of its trainings."""

from chapters.laboratory.language_model import language_model
from chapters.multi_head_attention.number_of_heads import STUDY, VARIANTS, measured
from transformer.layers import MultiHeadAttention
from transformer.models import count_parameters


def test_the_number_of_heads_changes_no_size():
    for name, choices in VARIANTS.items():
        model = language_model(seed=3, **choices)
        layers = [m for m in model.modules() if isinstance(m, MultiHeadAttention)]
        assert [f"{layer.num_heads} " for layer in layers] == [name.split("h")[0]] * 2
        assert count_parameters(model) == 102_400


def test_a_measurement_repeats_and_has_the_fields_of_the_file():
    options = {"learning_rate": 1e-2, "steps": 8, "seed": 3}
    found = measured("2 heads", **options)
    assert found == measured("2 heads", **options) != measured("4 heads", **options)
    assert {*found, "seconds", "variant", *options} == {*STUDY.rows[0]}


def test_the_study_is_complete():
    assert list(STUDY.pending(STUDY.rows)) == []
