"""The budget of parameters: equal to the models, part by part."""

from dataclasses import replace

from hypothesis import example, given, settings
from hypothesis import strategies as st

from bookkit.checking.facts import facts, refusals
from transformer.config import TransformerConfig
from transformer.costs import parameter_budget
from transformer.models import count_parameters
from transformer.zoo import CONFIGS

HEADS = ("masked_language_model", "pooler", None)
TEXTS = [name for name, config in CONFIGS.items() if config.image_size is None]


def part(name):
    """The part of the budget to which a parameter belongs, by its name."""
    if "relative" in name or "position" in name:
        return "positions"
    if name.startswith("head"):
        return "head"
    if "norm" in name:
        return "norms"
    if name.startswith("embedding"):
        return "embedding"
    stack = name.split(".")[0]
    if "cross_attention" in name:
        return "cross_attention"
    return f"{stack}_{'attention' if 'attention' in name else 'feed_forward'}"


def counted(model):
    """The parameters of a model by part, counted one by one."""
    parts = {}
    for name, parameter in model.named_parameters():
        parts[part(name)] = parts.get(part(name), 0) + parameter.numel()
    return parts


def assert_equal_parts(described, config, head="masked_language_model"):
    model = described(config, head)
    budget = parameter_budget(config, head=head)
    found = {name: number for name, number in budget.parts.items() if number}
    assert found == counted(model)
    assert budget.total == count_parameters(model)


@facts("name", TEXTS)
def test_the_budget_of_a_preset_is_that_of_its_model(described, shallow, name):
    assert_equal_parts(described, shallow(CONFIGS[name]))


@st.composite
def configs(draw):
    """Configurations of all kinds of models."""
    kv_heads, groups, d_head = (draw(st.integers(1, 3)) for _ in range(3))
    layers = draw(st.sampled_from([(1, 0), (3, 0), (0, 1), (0, 3), (1, 2), (2, 1)]))
    flag = st.booleans()
    return TransformerConfig(
        vocab_size=draw(st.integers(1, 13)),
        max_len=draw(st.integers(1, 7)),
        num_segments=0 if layers[1] else draw(st.integers(0, 2)),
        num_encoder_layers=layers[0],
        num_decoder_layers=layers[1],
        d_model=2 * draw(st.integers(1, 5)),
        d_ff=draw(st.integers(1, 11)),
        num_heads=kv_heads * groups,
        num_kv_heads=kv_heads,
        d_head=2 * d_head,
        position=draw(
            st.sampled_from(
                ["sinusoidal", "learned", "rotary", "relative", "relative_keys", "none"]
            )
        ),
        relative_buckets=draw(st.sampled_from([4, 6])),
        relative_max_distance=draw(st.integers(4, 7)),
        norm=draw(st.sampled_from(["layer", "rms"])),
        norm_placement="pre",
        norm_branches=draw(flag),
        query_key_norm=draw(flag),
        learned_sinks=draw(flag),
        final_norm=draw(flag),
        norm_embeddings=draw(flag),
        gated=draw(flag),
        bias=draw(flag),
        attention_bias=draw(flag),
        tie_embeddings=draw(flag),
        logits_bias=draw(flag),
    )


SMALL = TransformerConfig(vocab_size=7, d_model=12, d_ff=5, num_heads=6, num_kv_heads=2)
ENCODER = replace(SMALL, num_encoder_layers=2, num_decoder_layers=0)


# Where biases, heads and tables are easily mixed up; a failure there is told at once.
@example(config=replace(SMALL, gated=True), head=None)
@example(config=replace(SMALL, position="relative"), head=None)
@example(config=replace(ENCODER, bias=False), head="masked_language_model")
@example(config=replace(ENCODER, bias=False), head="pooler")
@given(config=configs(), head=st.sampled_from(HEADS))
@settings(max_examples=40)
def test_the_budget_of_any_configuration_is_that_of_its_model(described, config, head):
    assert_equal_parts(described, config, head)


def test_the_base_model_by_the_formulas_of_the_paper():
    budget = parameter_budget(CONFIGS["transformer-base"])
    # Vaswani et al. (2017), sections 3.2 to 3.4, d_model=512, d_ff=2048, 37,000 tokens
    assert budget.embedding == 37_000 * 512
    assert budget.cross_attention == 6 * 4 * 512**2
    assert budget.encoder_feed_forward == 6 * (2 * 512 * 2048 + 2048 + 512)
    assert budget.norms == 30 * 2 * 512
    assert budget.total == 63_045_632


def test_biases_of_attention_and_final_norms_add_what_they_hold():
    base = CONFIGS["transformer-base"]
    biased = replace(base, attention_bias=True)
    assert parameter_budget(biased).total == 63_082_496
    final = replace(biased, final_norm=True)
    assert parameter_budget(final).total == 63_082_496 + 2 * 2 * 512


BAD_INPUTS = {
    ValueError: {
        "head.*got 'classifier'": lambda: parameter_budget(
            CONFIGS["gpt2"], head="classifier"
        ),
    },
}


@refusals(BAD_INPUTS)
def test_bad_input_is_refused_with_what_to_do(error, words, call, refuses):
    refuses(call, error, words)
