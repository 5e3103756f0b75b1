"""Models compile and can be exported, and then compute the same."""

import copy
import shutil
from dataclasses import replace

import onnxruntime
import pytest
import torch
from packaging.version import Version
from torch.export import Dim
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.config import TransformerConfig
from transformer.models import DecoderOnlyTransformer, Transformer
from transformer.zoo import t5

pytestmark = pytest.mark.compiled

# Older exporters do not see that the least of 4n and 24n is 4n, which they meet when a
# learned bias is added to grouped heads.
OLDER = Version(torch.__version__) < Version("2.13")
LEARNED_BIAS = ("relative", "relative_keys")

# Sums of at most 24 products in float64, through one layer.
EXACT = {"rtol": 1e-10, "atol": 1e-10}
ROUNDED = {"rtol": 1e-4, "atol": 1e-4}  # the same in float32, by other kernels


SIZES = {"vocab_size": 13, "d_model": 16, "d_ff": 10, "num_heads": 2, "max_len": 17}
SIZES |= {"num_decoder_layers": 2}


def learned_bias():
    """A model whose positions are a bias, with gradients as when it learns."""
    return Transformer(t5.preset(**SIZES, num_encoder_layers=2))


def delta_rule():
    """A model that reads by the delta rule, and by softmax."""
    config = TransformerConfig.decoder_only(**SIZES, mixers="gated_delta softmax")
    return DecoderOnlyTransformer(config)


@pytest.fixture(scope="module")
def config(config):
    """One layer of each kind: the next one would be compiled in the same way."""
    return replace(config, num_encoder_layers=1, num_decoder_layers=1)


def test_a_model_and_its_gradients_compile_without_a_break(config, tokens):
    real = torch.tensor([[True] * 4 + [False] * 3, [True] * 7])
    model = Transformer(config).double()
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
    results = []
    for run in (model, compiled):
        model.zero_grad()
        logits = run(tokens, tokens, source_mask=real)
        logits.square().sum().backward()
        results.append([logits, *(p.grad.clone() for p in model.parameters())])
    assert_close(results[0], results[1], **EXACT)


@pytest.mark.skipif(not shutil.which("g++"), reason="a C++ compiler is needed")
@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")  # PyTorch's own
@pytest.mark.parametrize("config", ["llama"], indirect=True)
def test_a_model_becomes_machine_code(config, tokens):
    model = DecoderOnlyTransformer(replace(config, num_encoder_layers=0)).double()
    with torch.no_grad():
        compiled = torch.compile(model, fullgraph=True)
        assert_close(compiled(tokens), model(tokens), **EXACT)


def test_whole_models_can_be_exported_for_any_batch_and_length(
    config, seq2seq, decoder_only, encoder_only, tokens
):
    if OLDER and config.num_kv_heads is not None and config.position in LEARNED_BIAS:
        pytest.skip("exporting this needs torch 2.13")
    batch, source, target = (
        Dim(name, min=2, max=24) for name in ("batch", "source", "target")
    )
    longer, other = torch.randint(1, 13, (3, 11)), torch.randint(1, 13, (3, 9))
    for model, inputs, sizes, changed in (
        (seq2seq, (tokens, tokens[:, :5].clone()), (source, target), (longer, other)),
        (decoder_only, (tokens,), (target,), (longer,)),
        (encoder_only, (tokens,), (source,), (longer,)),
    ):
        shapes = tuple({0: batch, 1: size} for size in sizes)
        exported = torch.export.export(model, inputs, dynamic_shapes=shapes)
        assert_close(exported.module()(*changed), model(*changed), **EXACT)


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore:# The axis name:UserWarning")  # it is shared
def test_whole_models_become_onnx_for_any_batch_and_length(
    seq2seq, decoder_only, encoder_only, tokens, tmp_path
):
    longer, sizes = torch.randint(1, 13, (3, 11)), {0: Dim("batch"), 1: Dim("time")}
    for model, texts in ((seq2seq, 2), (decoder_only, 1), (encoder_only, 1)):
        model = copy.deepcopy(model).float().requires_grad_(False)
        run = in_onnx(model, (tokens,) * texts, sizes, tmp_path)
        assert_close(run(longer), model(*(longer,) * texts), **ROUNDED)


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore:# The axis name:UserWarning")  # it is shared
@facts("make", [learned_bias, delta_rule])
def test_what_a_learned_bias_and_the_delta_rule_become_in_onnx(make, tokens, tmp_path):
    torch.manual_seed(0)
    model, sizes = make().eval(), {0: Dim("batch"), 1: Dim("time", max=16)}
    texts = 2 if isinstance(model, Transformer) else 1
    run = in_onnx(model, (tokens,) * texts, sizes, tmp_path)
    for read in (tokens, torch.randint(1, 13, (3, 11))):
        assert_close(run(read), model(*(read,) * texts), **ROUNDED)


def in_onnx(model, inputs, sizes, folder):
    """Export a model; return what the program makes of a text, for all inputs."""
    path, shapes = folder / "model.onnx", (sizes,) * len(inputs)
    torch.onnx.export(model, inputs, path, dynamic_shapes=shapes, verbose=False)
    session = onnxruntime.InferenceSession(path)

    def run(text):
        given = {one.name: text.numpy() for one in session.get_inputs()}
        [found] = session.run(None, given)
        return torch.from_numpy(found)

    return run
