"""References: Hugging Face models, small and random, with every parameter perturbed."""

from contextlib import contextmanager, nullcontext
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch
from transformers import PreTrainedModel
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

from transformer.models import count_parameters
from transformer.models.parameters import SkipInitialization
from transformer.zoo.loading import translate

BATCH, TIME, VOCAB = 3, 11, 23
# With the logits and the gradients of order 1.
TOLERANCES = {torch.float32: 1e-5, torch.float64: 1e-12}


@pytest.fixture(params=TOLERANCES, ids=str)
def dtype(request):
    return request.param


@pytest.fixture
def tolerance(dtype):
    return TOLERANCES[dtype]


def perturb(model):
    """Move each parameter: norms, biases and scales start where errors hide."""
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.requires_grad:
                parameter += 0.1 * torch.randn_like(parameter)
        for name, buffer in model.named_buffers():
            if name.endswith("e_score_correction_bias"):
                buffer.normal_(std=0.3)


@pytest.fixture
def reference():
    """Build a reference model whose attention does not leave its dtype."""

    def build(kind, config, dtype=torch.float32):
        if kind._supports_sdpa:
            config._attn_implementation = "sdpa"
        config._experts_implementation = "eager"  # its kernels want sizes of their own
        model = kind(config)
        perturb(model)
        return model.to(dtype).eval()

    return build


@pytest.fixture
def exact(monkeypatch):
    """Let a reference compute norms, rotations and routes in the dtype it is given."""

    @contextmanager
    def doubled():
        """Where a reference asks for float32, give it float64."""
        with monkeypatch.context() as patch:
            for name in ("float", "float32"):
                patch.setattr(torch, name, torch.float64)
            yield

    def route_of(router):
        route = router.forward

        def forward(x):
            with doubled() if x.dtype == torch.float64 else nullcontext():
                return route(x)

        return forward

    def norm_of(norm):
        def forward(x):
            mean = x.square().mean(dim=-1, keepdim=True)
            if hasattr(norm, "variance_epsilon"):
                return norm.weight * x * (mean + norm.variance_epsilon).rsqrt()
            return (1 + norm.weight) * x * (mean + norm.eps).rsqrt()  # of Gemma

        return forward

    def rotation_of(rotary):
        def forward(x, position_ids, layer_type=None):
            said, kept = rotary.config.rope_parameters, "inv_freq"
            if layer_type is not None:  # of Gemma
                said, kept = said[layer_type], f"{layer_type}_inv_freq"
            base, pairs = said["rope_theta"], len(getattr(rotary, kept))
            frequencies = base ** (-torch.arange(pairs, dtype=torch.float64) / pairs)
            magnitude = 1.0
            if said["rope_type"] != "default":
                with doubled():
                    slow_down = ROPE_INIT_FUNCTIONS[said["rope_type"]]
                    frequencies, magnitude = slow_down(rotary.config)
            angles = position_ids[..., None] * frequencies
            if "GptOss" not in type(rotary).__name__:
                angles = angles.repeat(1, 1, 2)
            turns = magnitude * angles.cos(), magnitude * angles.sin()
            return tuple(turn.to(x.dtype) for turn in turns)

        return forward

    def make(model):
        for module in model.modules():
            name = type(module).__name__
            if name.endswith("RMSNorm") or name == "T5LayerNorm":
                module.forward = norm_of(module)
            elif name.endswith("RotaryEmbedding"):
                module.forward = rotation_of(module)
            elif name.endswith("TopkRouter"):
                module.forward = route_of(module)
        return model

    return make


def batch_of(tokens, real):
    """Return tokens and which are real, as we and as the references take them."""
    return SimpleNamespace(
        tokens=tokens,
        real=real,
        ours={"tokens": tokens, "mask": real},
        theirs={"input_ids": tokens, "attention_mask": real.long()},
        scored=real,
    )


@pytest.fixture
def batch():
    """Tokens of three lengths, padded on the right."""
    tokens = torch.randint(1, VOCAB, (BATCH, TIME))
    real = torch.arange(TIME) < torch.tensor([[TIME], [7], [4]])
    return batch_of(tokens.masked_fill(~real, 0), real)


@pytest.fixture(params=["right", "left"])
def padded(request, batch):
    """The batch, padded on either side."""
    if request.param == "right":
        return batch
    return batch_of(batch.tokens.flip(1), batch.real.flip(1))


@pytest.fixture
def pair(batch):
    """Sources and targets of different lengths; a target starts with the padding id."""
    length = 7
    real = torch.arange(length) < torch.tensor([[3], [length], [5]])
    target = torch.randint(1, VOCAB, (BATCH, length)).masked_fill(~real, 0)
    target[:, 0] = 0
    read = {"source": batch.tokens, "source_mask": batch.real}
    decoder = {"decoder_input_ids": target, "decoder_attention_mask": real.long()}
    return SimpleNamespace(
        ours=read | {"target": target, "target_mask": real},
        theirs=batch.theirs | decoder,
        scored=real,
    )


def run(model, given):
    """Return the logits of a model of ours or of a reference."""
    if isinstance(model, PreTrainedModel):
        return model(**given.theirs).logits
    return model(**given.ours)


@pytest.fixture
def assert_same_gradients(parity):
    """Compare the gradients of all parameters, theirs under our names.

    Each is compared in units of its largest number, where that is above one: a sum
    rounds as its largest terms do, in an order that depends on the processor.
    """

    def check(ours, theirs, layout, tolerance):
        compared = parity(ours, theirs)
        stored = dict(theirs.named_parameters()) | dict(theirs.named_buffers())
        gradients = {n: x.grad for n, x in stored.items() if x.grad is not None}
        for name, buffer in theirs.named_buffers():
            if name.endswith("e_score_correction_bias"):  # which no gradient moves
                gradients[name] = torch.zeros_like(buffer)
        expected = translate(ours, gradients, layout)
        for name, parameter in ours.named_parameters():
            if not parameter.requires_grad:
                assert not expected[name].any()
                continue
            unit = expected[name].abs().max().clamp(min=1.0)
            compared.gradients(
                parameter.grad / unit,
                expected[name] / unit,
                rtol=tolerance,
                atol=tolerance,
                msg=lambda text, name=name: f"{name}: {text}",
            )

    return check


@pytest.fixture
def assert_parity(assert_same_gradients, parity):
    """Compare logits at real positions, and the gradients of a random mix of them."""

    def check(ours, theirs, given, layout, tolerance):
        found, expected = run(ours, given), run(theirs, given)
        real, bounds = given.scored, {"rtol": tolerance, "atol": tolerance}
        parity(ours, theirs).values(found[real], expected[real], **bounds)
        direction = torch.randn_like(expected) * real[..., None] / real.sum()
        for logits in (found, expected):
            (logits * direction).sum().backward()
        assert_same_gradients(ours, theirs, layout, tolerance)

    return check


@pytest.fixture
def assert_bfloat16():
    """Bound the error in bfloat16 by that of the reference, both against float64.

    Both round at each step, in another order: the mean error may differ by half.
    """

    def check(ours, theirs, given):
        with torch.no_grad():
            rounded = [run(ours, given), run(theirs, given)]
            assert all(logits.dtype == torch.bfloat16 for logits in rounded)
            exact = run(theirs.double(), given)
        error, allowed = (
            (logits.double() - exact)[given.scored].abs().mean() for logits in rounded
        )
        assert 0 < error < 1.5 * allowed

    return check


@pytest.fixture
def assert_same_steps(parity):
    """Compare the logits of a prompt, then of one token after the other."""

    def check(ours, theirs, batch, tolerance):
        cache, past, prompt = ours.new_cache(BATCH, max_len=TIME), None, 8
        bounds = {"rtol": tolerance, "atol": tolerance}
        lengths = [prompt] + [1] * (TIME - prompt)
        pieces = zip(
            batch.tokens.split(lengths, dim=1),
            batch.real.split(lengths, dim=1),
            strict=True,
        )
        with torch.no_grad():
            for tokens, real in pieces:
                seen = batch.real[:, : cache.length + tokens.size(1)].long()
                expected = theirs(tokens, attention_mask=seen, cache=past)
                past = expected.cache
                found = ours(tokens, mask=real, cache=cache)[real]
                expected = expected.logits[real]
                parity(ours, theirs).values(found, expected, **bounds)
        assert cache.length == TIME

    return check


@pytest.fixture
def assert_same_translation_steps(parity):
    """Compare the logits of the first target tokens, then of one after the other."""

    def check(ours, theirs, batch, pair, tolerance):
        target, past = pair.ours["target"], None
        bounds = {"rtol": tolerance, "atol": tolerance}
        read = {"attention_mask": batch.real.long()}
        with torch.no_grad():
            memory = ours.encode(batch.tokens, source_mask=batch.real)
            read["encoder_outputs"] = theirs.get_encoder()(**batch.theirs)
            cache = ours.new_cache(memory, max_len=target.size(1))
            for piece in (target[:, :3], *target[:, 3:].split(1, dim=1)):
                expected = theirs(decoder_input_ids=piece, cache=past, **read)
                past = expected.cache
                found = ours.decode(piece, memory, source_mask=batch.real, cache=cache)
                parity(ours, theirs).values(found, expected.logits, **bounds)
        assert cache.length == target.size(1)

    return check


@pytest.fixture
def count_on_meta():
    """Count the parameters of a model of any size, which takes no memory."""

    def count(build):
        with torch.device("meta"), SkipInitialization():
            return count_parameters(build())

    return count


@pytest.fixture
def spelled_out():
    """Write the sizes into a configuration that follow from others."""

    def spell(config):
        return replace(config, d_head=config.head_size, num_kv_heads=config.kv_heads)

    return spell
