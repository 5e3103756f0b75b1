"""LoRA: by hand, what it adds, what it leaves alone, and what it cannot adapt."""

from contextlib import suppress
from functools import partial

import pytest
import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.config import TransformerConfig
from transformer.data import Batch
from transformer.decoding import continuation, generate
from transformer.models import (
    DecoderOnlyTransformer,
    load_model,
    quantize_weights,
    save_model,
)
from transformer.training import (
    LabelSmoothingLoss,
    LoRALinear,
    Trainer,
    adam,
    adapter_off,
    attach_adapter,
    detach_adapter,
    list_adapter,
    merge_adapter,
    restore,
    snapshot,
    unmerge_adapter,
)

EXACT = {"rtol": 0, "atol": 1e-12}
CONFIG = TransformerConfig.decoder_only(
    vocab_size=13, max_len=29, num_decoder_layers=2, d_model=12, d_ff=17, num_heads=3
)
TOKENS = torch.tensor([[5, 7, 3, 11], [4, 1, 9, 2]])
ATTENTION = "decoder.layers.{}.self_attention.{}_projection"


def new_model():
    return DecoderOnlyTransformer(CONFIG).double().eval()


@pytest.fixture
def model():
    return new_model()


def drawn(model):
    """The model with an adapter that has learned something."""
    for part in model.modules():
        if isinstance(part, LoRALinear):
            nn.init.normal_(part.up)
    return model


def copy_of(model):
    return {name: x.clone() for name, x in model.state_dict().items()}


def test_two_by_two_by_hand():
    linear = nn.Linear(2, 2, bias=False)
    part = LoRALinear(linear, rank=1, alpha=3.0)
    with torch.no_grad():
        linear.weight.copy_(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
        part.down.copy_(torch.tensor([[1.0, -1.0]]))
        part.up.copy_(torch.tensor([[2.0], [0.5]]))
    assert part(torch.tensor([1.0, 2.0])).tolist() == [5 - 6, 11 - 1.5]
    assert part.change.tolist() == [[6.0, -6.0], [1.5, -1.5]]
    assert part.merged().weight.tolist() == [[7.0, -4.0], [4.5, 2.5]]


def test_value_and_gradients_are_those_of_one_matrix():
    linear = nn.Linear(7, 11).double()
    part = drawn(LoRALinear(linear, rank=3, alpha=5.0))
    x = torch.randn(2, 5, 7, dtype=torch.float64, requires_grad=True)
    learning = (x, part.down, part.up)
    whole = linear.weight + 5.0 / 3 * part.up @ part.down
    theirs = x @ whole.T + linear.bias
    ours = part(x)
    assert ours.shape == (2, 5, 11)
    assert_close(ours, theirs, **EXACT)
    weights = torch.randn_like(ours)
    found, wanted = (torch.autograd.grad(y, learning, weights) for y in (ours, theirs))
    assert_close(found, wanted, **EXACT)
    assert_close(part.weight, whole, **EXACT)


@facts("rank", [1, 2, 3, 7])
def test_what_is_added_has_at_most_its_rank(rank):
    part = drawn(LoRALinear(nn.Linear(7, 11).double(), rank=rank))
    assert torch.linalg.matrix_rank(part.change) == rank


def test_nothing_changes_at_first_and_only_the_adapter_learns(model):
    before = model(TOKENS)
    assert attach_adapter(model, rank=2, dropout=0.5) is model
    assert torch.equal(model(TOKENS), before)
    learning = {name for name, x in model.named_parameters() if x.requires_grad}
    assert {name.rpartition(".")[2] for name in learning} == {"down", "up"}
    model(TOKENS).square().sum().backward()
    part = model.decoder.layers[1].self_attention.value_projection
    assert float(part.up.grad.abs().max()) > 0
    assert float(part.down.grad.abs().max()) == 0  # in the first step, as B = 0
    assert part.linear.weight.grad is None


def test_parameters_and_bytes_are_listed(model):
    wide = nn.Linear(12, 31)
    model.decoder.layers[0].self_attention.query_projection = wide.double()
    found = list_adapter(attach_adapter(model, rank=5))
    assert [part.name for part in found] == [
        ATTENTION.format(layer, role) for layer in (0, 1) for role in ("query", "value")
    ]
    assert found[0][1:] == (5, 5 * (12 + 31), 8 * 5 * (12 + 31))
    assert found[3][1:] == (5, 5 * (12 + 12), 8 * 5 * (12 + 12))


@facts(
    "name, count",
    [
        ("query_projection", 2),
        ("decoder.layers.1.self_attention.key_projection", 1),
        ("decoder.layers.0.*", 6),
        ("*", 13),
        ("head.projection", 1),
    ],
)
def test_names_and_patterns_mean_maps(name, count):
    model = attach_adapter(new_model(), names=[name], rank=1)
    assert len(list_adapter(model)) == count


def test_merging_is_exact_and_is_taken_back_to_the_last_bit(model):
    drawn(attach_adapter(model, rank=2))
    before, logits = copy_of(model), model(TOKENS)
    merged = merge_adapter(model)
    assert not any(isinstance(part, LoRALinear) for part in model.modules())
    assert_close(model(TOKENS), logits, **EXACT)
    unmerge_adapter(model, merged)
    assert torch.equal(model(TOKENS), logits)
    after = copy_of(model)
    assert after.keys() == before.keys()
    assert all(torch.equal(after[name], before[name]) for name in before)


def test_in_half_precision_the_sum_is_rounded_and_not_the_change():
    part = drawn(LoRALinear(nn.Linear(7, 11).bfloat16(), rank=3))
    wide = part.linear.weight.float() + 16 / 3 * (part.up.float() @ part.down.float())
    assert torch.equal(part.merged().weight, wide.bfloat16())


def test_a_merged_model_is_saved_and_an_adapted_one_is_not(model, tmp_path, refuses):
    drawn(attach_adapter(model))
    logits = model(TOKENS)
    refuses(lambda: save_model(model, tmp_path), ValueError, "merge what was added")
    merge_adapter(model)
    save_model(model, tmp_path)
    assert_close(load_model(tmp_path)(TOKENS), logits, **EXACT)


def test_a_tied_head_is_adapted_and_the_embedding_stays(model):
    embedded = model.embedding.tokens.embedding.weight
    assert model.head.projection.weight is embedded
    before = embedded.clone()
    drawn(attach_adapter(model, names=["head.projection"]))
    logits = model(TOKENS)
    merge_adapter(model)
    assert_close(model(TOKENS), logits, **EXACT)
    assert torch.equal(model.embedding.tokens.embedding.weight, before)


def test_a_map_in_two_places_is_adapted_in_both(model):
    one, two = (layer.self_attention for layer in model.decoder.layers)
    two.query_projection = one.query_projection
    (part,) = list_adapter(attach_adapter(model, names=["query_projection"]))
    assert part.name == ATTENTION.format(0, "query")
    assert isinstance(two.query_projection, LoRALinear)
    assert two.query_projection is one.query_projection


def test_dropout_is_for_training_only(model):
    drawn(attach_adapter(model, dropout=0.5))
    assert torch.equal(model(TOKENS), model(TOKENS))  # it was in evaluation mode
    model.train()
    assert not torch.equal(model(TOKENS), model(TOKENS))


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
@facts("options", [{"use_cache": False}, {"temperature": 1.0, "seed": 3}])
def test_an_adapted_model_writes_what_the_merged_one_writes(options):
    model = new_model()
    base = generate(model, TOKENS, max_new_tokens=7)
    drawn(attach_adapter(model, dropout=0.3))
    plain = {n: x for n, x in options.items() if n != "use_cache"}
    found = generate(model, TOKENS, max_new_tokens=7, **options)
    assert torch.equal(found, generate(model, TOKENS, max_new_tokens=7, **plain))
    assert not torch.equal(found, base)
    merge_adapter(model)
    assert torch.equal(found, generate(model, TOKENS, max_new_tokens=7, **plain))


@pytest.mark.compiled
def test_a_compiled_model_takes_an_adapter_and_lets_it_go(model):
    compiled = torch.compile(model, backend="eager", fullgraph=True)
    before = compiled(TOKENS)
    drawn(attach_adapter(compiled))
    logits = model(TOKENS)
    assert not torch.allclose(logits, before)
    assert_close(compiled(TOKENS), logits, **EXACT)
    merge_adapter(compiled)
    assert_close(compiled(TOKENS), logits, **EXACT)


@pytest.mark.compiled
def test_steps_of_an_adapted_model_are_one_graph(model, monkeypatch):
    options = {"fullgraph": True, "dynamic": True, "backend": "eager"}
    step = torch.compile(continuation.last_logits, **options)
    monkeypatch.setattr(continuation, "compiled_logits", lambda: step)
    drawn(attach_adapter(model))
    found = generate(model, TOKENS, max_new_tokens=7, compile=True)
    assert torch.equal(found, generate(model, TOKENS, max_new_tokens=7))


def test_what_is_compiled_by_itself_is_refused(model, refuses):
    attention = model.decoder.layers[0].self_attention
    compiled = partial(torch.compile, backend="eager")
    attention.query_projection = compiled(attention.query_projection)
    refuses(lambda: attach_adapter(model), TypeError, "linear.*got OptimizedModule")
    assert all(x.requires_grad for x in model.parameters())
    model.decoder.layers[0] = compiled(model.decoder.layers[0])
    attach_adapter(model, names=["value_projection"])
    names = [part.name for part in list_adapter(model)]
    assert names == [ATTENTION.format(layer, "value") for layer in (0, 1)]


def test_the_adapter_is_off_within_a_block(model):
    base = model(TOKENS)
    drawn(attach_adapter(model))
    adapted = model(TOKENS)
    with suppress(RuntimeError), adapter_off(model):
        assert torch.equal(model(TOKENS), base)
        raise RuntimeError
    assert torch.equal(model(TOKENS), adapted)
    detach_adapter(model)
    assert torch.equal(model(TOKENS), base)


def test_a_training_goes_on_from_its_checkpoint(model):
    def trainer():
        torch.manual_seed(0)
        model = attach_adapter(DecoderOnlyTransformer(CONFIG), rank=2)
        loss = LabelSmoothingLoss()
        return Trainer(model, loss=loss, optimizer=adam(model, learning_rate=0.1))

    batch = Batch(None, TOKENS)
    first, second = trainer(), trainer()
    first.step(batch)
    restore(second, snapshot(first))
    assert first.step(batch).loss == second.step(batch).loss
    assert first.log.steps[1].loss < first.log.steps[0].loss


@facts(
    "options, error, said",
    [
        ({"names": []}, ValueError, "names.*got none"),
        ({"names": "query_projection"}, TypeError, "names.*got 'query_projection'"),
        ({"names": ["q_proj"]}, ValueError, "names.*got 'q_proj'"),
        ({"names": ["norm"]}, ValueError, "names.*got 'norm'"),
        ({"rank": 0}, ValueError, "rank.*got 0"),
        ({"rank": 13}, ValueError, "rank.*got 13"),
        ({"alpha": 0.0}, ValueError, "alpha.*got 0"),
        ({"dropout": 1.0}, ValueError, "dropout.*got 1.0"),
    ],
)
def test_what_does_not_fit_is_refused_and_changes_nothing(
    options, error, said, model, refuses
):
    refuses(lambda: attach_adapter(model, **options), error, said)
    assert all(x.requires_grad for x in model.parameters())


def test_one_adapter_at_a_time(model, refuses):
    for call in (merge_adapter, list_adapter, detach_adapter):
        refuses(lambda call=call: call(model), ValueError, "model must have an adapter")
    attach_adapter(model)
    refuses(lambda: attach_adapter(model), ValueError, "no adapter.*got.*query_proj")
    merged = merge_adapter(model)
    refuses(lambda: merge_adapter(model), ValueError, "adapter.*merged; call")
    unmerge_adapter(model, merged)
    refuses(lambda: unmerge_adapter(model, merged), ValueError, "merged.*got 4 of 4")


def test_what_hides_its_matrix_is_refused(model, refuses):
    shared = DistributedDataParallel.__new__(DistributedDataParallel)
    nn.Module.__init__(shared)
    shared.module = model
    refuses(lambda: attach_adapter(shared), TypeError, "model.*got Distrib.*attach")
    quantize_weights(attach_adapter(model))
    refuses(lambda: merge_adapter(model), ValueError, "floats to be merged")
    detach_adapter(model)
    refuses(lambda: attach_adapter(model), TypeError, "linear.*got Int8Linear")
