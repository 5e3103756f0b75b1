"""The number of heads in the language model, and the file of its trainings."""

from chapters.laboratory.language_model import language_model
from chapters.multi_head_attention.number_of_heads import VARIANTS
from transformer.layers import MultiHeadAttention
from transformer.models import count_parameters


def test_the_number_of_heads_changes_no_size():
    for name, choices in VARIANTS.items():
        model = language_model(seed=3, **choices)
        layers = [m for m in model.modules() if isinstance(m, MultiHeadAttention)]
        assert [f"{layer.num_heads} " for layer in layers] == [name.split("h")[0]] * 2
        assert count_parameters(model) == 102_400
