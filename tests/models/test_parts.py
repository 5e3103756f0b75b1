"""Anything with the same call takes the place of a part, in every family."""

import copy
import re
from functools import partial

import pytest
import torch
from torch import nn
from torch.export import Dim
from torch.func import functional_call, grad, stack_module_state, vmap
from torch.testing import assert_close
from torch.utils.checkpoint import checkpoint

from bookkit.checking.facts import facts
from transformer.config import TransformerConfig
from transformer.data import Batch
from transformer.decoding import generate, speculative_sample
from transformer.models import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
    ImageEncoder,
    Transformer,
    load_model,
    save_model,
)
from transformer.training import LabelSmoothingLoss, Trainer
from transformer.zoo import (
    bert,
    deepseek_v3,
    gemma3,
    gpt2,
    gpt_neox,
    gpt_oss,
    llama,
    mamba2,
    qwen3,
    t5,
    vit,
)
from transformer.zoo.families import KNOWN

SIZES = {"vocab_size": 13, "d_model": 16, "d_ff": 10, "num_heads": 2, "max_len": 17}
ALONE = {**SIZES, "num_decoder_layers": 2}
BOTH = {**ALONE, "num_encoder_layers": 2}
SEEN = {**SIZES, "num_encoder_layers": 2, "max_len": 5}
LATENT = {"d_head": 4, "d_latent": 6, "query_latent": 5, "d_rotary": 2, "d_value": 3}
FAMILIES = {
    "llama": lambda: DecoderOnlyTransformer(llama.preset(**ALONE, num_kv_heads=1)),
    "gpt2": lambda: DecoderOnlyTransformer(gpt2.preset(**ALONE)),
    "gpt_neox": lambda: DecoderOnlyTransformer(
        gpt_neox.preset(**ALONE, rotary_fraction=0.5, rotary_layout="interleaved")
    ),
    "qwen3": lambda: DecoderOnlyTransformer(qwen3.preset(**ALONE, num_kv_heads=1)),
    "gemma3": lambda: DecoderOnlyTransformer(
        gemma3.preset(**ALONE, window=(3, None), local_rotary_base=100.0)
    ),
    "gpt_oss": lambda: DecoderOnlyTransformer(
        gpt_oss.preset(**ALONE, num_experts=3, window=(3, None))
    ),
    "deepseek_v3": lambda: DecoderOnlyTransformer(
        deepseek_v3.preset(**ALONE, **LATENT, num_experts=3, shared_experts=1)
    ),
    "mamba2": lambda: DecoderOnlyTransformer(mamba2.preset(**ALONE, state_size=3)),
    "hybrid": lambda: DecoderOnlyTransformer(
        TransformerConfig.decoder_only(**ALONE, mixers="gated_delta softmax")
    ),
    "2017": lambda: Transformer(TransformerConfig(**BOTH)),
    "t5": lambda: Transformer(t5.preset(**BOTH)),
    "bert": lambda: EncoderOnlyTransformer(
        bert.preset(**SIZES, num_encoder_layers=2, num_segments=2)
    ),
    "vit": lambda: ImageEncoder(vit.preset(**SEEN, image_size=4, patch_size=2)),
}
TOKENS = torch.tensor([[5, 7, 3, 11, 2], [4, 1, 9, 6, 8]])
IMAGES = torch.linspace(-1, 1, 2 * 3 * 4 * 4).sin().view(2, 3, 4, 4)
ENCODERS = (EncoderOnlyTransformer, ImageEncoder)  # which write nothing
# Parts of which more than the call is used; each says so when it is.
READ = dict.fromkeys(["gpt2", "bert", "vit"], ".positions.embedding")
READ |= {"gpt_neox": "_residual"}


class Wrapped(nn.Module):
    """Has the call of a part, and nothing else of it."""

    def __init__(self, part):
        super().__init__()
        self.part = part

    def forward(self, *args, **kwargs):
        return self.part(*args, **kwargs)


class Adapted(nn.Module):
    """A linear map and a small one beside it, as LoRA has it."""

    def __init__(self, linear):
        super().__init__()
        self.linear = linear.requires_grad_(False)
        self.down = nn.Linear(linear.in_features, 2, bias=False)
        self.up = nn.Linear(2, linear.out_features, bias=False)
        nn.init.zeros_(self.up.weight)

    def forward(self, x):
        return self.linear(x) + self.up(self.down(x))


class Recomputed(Wrapped):
    """Keeps what goes into a part, and computes it again on the way back."""

    def forward(self, *args, **kwargs):
        return checkpoint(self.part, *args, use_reentrant=False, **kwargs)


def build(family):
    torch.manual_seed(0)
    model = FAMILIES[family]().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.1 * torch.randn_like(parameter)
    return model


def parts_of(model, kind=nn.Module):
    """The names of the parts that somebody may replace."""
    return [
        name
        for name, part in model.named_modules()
        if name and isinstance(part, kind) and not isinstance(part, nn.ModuleList)
    ]


def replace(model, name, change):
    """Put something into the place of a part."""
    parent, _, leaf = name.rpartition(".")
    holder = model.get_submodule(parent)
    if isinstance(holder, nn.ModuleList):
        holder[int(leaf)] = change(holder[int(leaf)])
    else:
        setattr(holder, leaf, change(getattr(holder, leaf)))
    return model


def inputs_of(model):
    """What a model is given: images, or tokens once or twice."""
    if isinstance(model, ImageEncoder):
        return (IMAGES,)
    return (TOKENS,) * (2 if isinstance(model, Transformer) else 1)


def read(model):
    """What a model makes of tokens, or of images."""
    return model(*inputs_of(model))


def written(model):
    """What is written by each decoder, and by two models together."""
    if isinstance(model, ENCODERS):
        return []
    options = {"max_new_tokens": 4}
    if isinstance(model, Transformer):
        options["bos_id"] = 1
    ways = ({}, {"top_k": 3, "seed": 0}, {"beam_width": 3}, {"use_cache": False})
    texts = [generate(model, TOKENS, **options, **way) for way in ways]
    guessed = speculative_sample(model, model, TOKENS, seed=0, lookahead=2, **options)
    return [*(text.tolist() for text in texts), guessed.tokens.tolist()]


def learn(model):
    """The parameters after a step of training, with the same dropout each time."""
    torch.manual_seed(1)
    if isinstance(model, ENCODERS):
        read(model).sum().backward()
    else:
        source = TOKENS if isinstance(model, Transformer) else None
        learning = (x for x in model.parameters() if x.requires_grad)
        trainer = Trainer(
            model, loss=LabelSmoothingLoss(), optimizer=torch.optim.SGD(learning)
        )
        trainer.step(Batch(source, TOKENS))
        model.eval()
    return [x.detach() for x in model.parameters()]


def wrappable(family):
    """The names of all parts of which nothing but the call is used."""
    rest = READ.get(family, "none")
    return [name for name in parts_of(build(family)) if not name.endswith(rest)]


def test_all_families_of_the_zoo_are_here():
    modules = {family.convert.__module__.rpartition(".")[2] for family in KNOWN}
    assert modules - FAMILIES.keys() == {"original"}  # which is that of 2017


@facts("family", FAMILIES)
@torch.no_grad()
def test_every_part_may_be_wrapped(family):
    whole = build(family)
    expected = read(whole)
    options = {"max_new_tokens": 2}
    options |= {"bos_id": 1} if isinstance(whole, Transformer) else {}
    writes = not isinstance(whole, ENCODERS)
    text = generate(whole, TOKENS, **options) if writes else None
    names = wrappable(family)
    assert len(names) >= 21
    for name in names:
        model = replace(build(family), name, Wrapped)
        assert_close(read(model), expected, rtol=0, atol=0, msg=name)
        if writes:
            assert torch.equal(generate(model, TOKENS, **options), text), name


@facts("family", FAMILIES)
def test_all_parts_may_be_wrapped_at_once(family, tmp_path):
    whole, model = build(family), build(family)
    for name in sorted(wrappable(family), key=lambda name: -name.count(".")):
        replace(model, name, Wrapped)
    assert written(model) == written(whole)
    for ours, theirs in zip(learn(model), learn(whole), strict=True):
        assert_close(ours, theirs)
    with pytest.raises(ValueError, match=r"got \S*Wrapped as \S+ instead of"):
        save_model(model, tmp_path)
    assert not [*tmp_path.iterdir()]


@facts("family", FAMILIES)
def test_layers_that_are_computed_again_have_the_same_gradients(family):
    whole, model = build(family), build(family)
    layers = [n for n in parts_of(model) if re.fullmatch(r"\w+\.layers\.\d", n)]
    assert len(layers) >= 2
    for name in layers:
        replace(model, name, Recomputed)
    losses = [read(one).square().mean() for one in (model, whole)]
    ours, theirs = (
        torch.autograd.grad(loss, [x for x in one.parameters() if x.requires_grad])
        for loss, one in zip(losses, (model, whole), strict=True)
    )
    assert_close(ours, theirs)


@facts("family", READ)
def test_a_part_of_which_more_is_used_says_so(family):
    names = [n for n in parts_of(build(family)) if n.endswith(READ[family])]
    for name in names:
        with pytest.raises(AttributeError, match="'Wrapped' object has no"):
            read(replace(build(family), name, Wrapped))


@facts("name", ["decoder.layers.1.feed_forward", "decoder.norm", "head", "decoder"])
def test_a_replaced_part_is_refused_when_it_is_saved(name, tmp_path):
    model = replace(build("llama"), name, Wrapped)
    with pytest.raises(ValueError, match=rf"got \S*Wrapped as {name} instead of"):
        save_model(model, tmp_path)


@facts("family", FAMILIES)
def test_every_projection_may_have_a_small_one_beside_it(family, tmp_path):
    whole = build(family)
    expected, texts = read(whole), written(whole)
    names = parts_of(whole, nn.Linear)
    model = build(family).requires_grad_(False)
    for name in names:
        replace(model, name, Adapted)
    assert_close(read(model), expected)
    assert written(model) == texts
    before = [x.clone() for x in model.parameters() if not x.requires_grad]
    learn(model)
    after = [x for x in model.parameters() if not x.requires_grad]
    assert_close(after, before, rtol=0, atol=0)
    ups = [x.grad for name, x in model.named_parameters() if name.endswith("up.weight")]
    assert len(ups) == len(names)
    with pytest.raises(ValueError, match=r"got \S*Adapted as .* instead of \S*Linear"):
        save_model(model, tmp_path)


@pytest.mark.compiled
@pytest.mark.filterwarnings("ignore::UserWarning")  # of the compiler
@facts("family", ["llama", "2017"])
def test_what_is_compiled_in_place_of_a_part_is_saved_as_the_part(family, tmp_path):
    model = build(family)
    expected = read(model)
    names = [
        name for name in parts_of(model) if name.endswith(("feed_forward", ".norm"))
    ]
    for name in names:
        replace(model, name, partial(torch.compile, backend="eager"))
    assert_close(read(model), expected)
    save_model(model, tmp_path)
    assert_close(read(load_model(tmp_path)), expected, rtol=0, atol=0)


@pytest.mark.compiled
@facts("family", ["gemma3", "deepseek_v3", "hybrid", "vit"])
@torch.no_grad()
def test_newer_families_are_exported_for_any_batch_and_length(family):
    model, batch, time = build(family), Dim("batch", max=64), Dim("time", min=4, max=16)
    inputs = inputs_of(model)
    if family == "vit":
        fewer, shapes = (IMAGES[:1],), ({0: batch},)
    else:
        fewer = (TOKENS[:1, :4],) * len(inputs)
        shapes = ({0: batch, 1: time},) * len(inputs)
    exported = torch.export.export(model, inputs, dynamic_shapes=shapes).module()
    for given in (inputs, fewer):
        assert_close(exported(*given), model(*given))


def test_a_norm_of_another_kind_is_refused_when_it_is_saved(tmp_path):
    model = replace(build("llama"), "decoder.norm", lambda norm: nn.RMSNorm(16))
    read(model)
    with pytest.raises(
        ValueError, match=r"got torch\S*RMSNorm as decoder\.norm instead of transformer"
    ):
        save_model(model, tmp_path)


class Own(nn.Module):
    """A module around a model, with what writing needs."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    @property
    def config(self):
        return self.inner.config

    def new_cache(self, batch, **room):
        return self.inner.new_cache(batch, **room)

    def forward(self, tokens, *, mask=None, cache=None):
        return self.inner(tokens, mask=mask, cache=cache)


def test_a_module_around_a_model_writes_if_it_has_what_writing_needs():
    model = build("llama")
    assert written(Own(model)) == written(model)
    with pytest.raises(TypeError, match="got Wrapped without config and new_cache"):
        generate(Wrapped(model), TOKENS, max_new_tokens=2)


@pytest.mark.filterwarnings("ignore:There is a performance drop")
@facts("family", FAMILIES)
def test_gradients_of_single_samples_are_those_of_each_alone(family):
    model = build(family)
    parameters, inputs = dict(model.named_parameters()), inputs_of(model)

    def loss(parameters, *row):
        row = tuple(x[None] for x in row)
        return functional_call(model, parameters, row).square().mean()

    together = vmap(grad(loss), (None, *(0 for _ in inputs)))(parameters, *inputs)
    learning = [name for name, x in parameters.items() if x.requires_grad]
    for row, sample in enumerate(zip(*inputs, strict=True)):
        # Without torch.func, which the experts and a learned bias would see.
        model.zero_grad()
        model(*(x[None] for x in sample)).square().mean().backward()
        for name in learning:
            alone = parameters[name].grad
            alone = torch.zeros_like(parameters[name]) if alone is None else alone
            assert_close(together[name][row], alone, rtol=1e-4, atol=1e-6)


@pytest.mark.filterwarnings("ignore:There is a performance drop")
@facts("family", FAMILIES)
def test_an_ensemble_is_read_at_once(family):
    models = [build(family), build(family)]
    with torch.no_grad():
        for parameter in models[1].parameters():
            parameter *= 1.1
    state, inputs = stack_module_state(models), inputs_of(models[0])
    empty = copy.deepcopy(models[0]).to("meta")  # tied weights stay tied
    together = vmap(lambda *one: functional_call(empty, one, inputs))(*state)
    learning = {name: x for name, x in state[0].items() if x.requires_grad}
    loss = together.square().mean(dim=(1, -1)).sum()
    found = torch.autograd.grad(loss, [*learning.values()], allow_unused=True)
    for place, model in enumerate(models):
        alone = read(model)
        assert_close(together[place], alone, rtol=1e-4, atol=1e-5)
        alone.square().mean(dim=(0, -1)).sum().backward()
        for gradients, name in zip(found, learning, strict=True):
            if gradients is not None:
                expected = model.get_parameter(name).grad
                assert_close(gradients[place], expected, rtol=1e-3, atol=1e-5)


def test_a_vocabulary_is_enlarged_where_it_stands():
    model = build("gpt2")
    table = torch.cat([model.embedding.tokens.embedding.weight, torch.randn(4, 16)])
    table = nn.Parameter(table.detach())
    model.embedding.tokens.embedding.weight = table
    model.head.projection.weight = table
    logits = model(torch.tensor([[16, 3]]))
    assert logits.shape == (1, 2, 17)
