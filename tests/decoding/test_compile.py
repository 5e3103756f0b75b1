"""Compiled steps: the same texts, by one program for all steps."""

import shutil

import pytest
import torch
from torch._dynamo.testing import CompileCounter

from bookkit.checking.facts import facts
from transformer.decoding import beam_search, continuation, generate, greedy_decode
from transformer.models import quantize_weights


@pytest.fixture
def counter(monkeypatch):
    """What counts the programs; they stay Python, which is quicker."""
    torch.compiler.reset()
    counter = CompileCounter()
    step = torch.compile(
        continuation.last_logits, backend=counter, fullgraph=True, dynamic=True
    )
    monkeypatch.setattr(continuation, "compiled_logits", lambda: step)
    return counter


@pytest.mark.compiled
@pytest.mark.parametrize(
    "decoder_only", ["learned", "relative", "one key head"], indirect=True
)
def test_a_text_is_the_same_and_needs_one_program(decoder_only, batch, counter):
    options = {"max_new_tokens": 9, "mask": batch.mask}
    plain = greedy_decode(decoder_only, batch.tokens, **options)
    for _ in range(2):
        found = greedy_decode(decoder_only, batch.tokens, compile=True, **options)
        assert torch.equal(found, plain)
    assert counter.frame_count == 1
    assert counter.op_count > 20


@pytest.mark.compiled
@pytest.mark.parametrize("seq2seq", ["2017"], indirect=True)
def test_a_target_is_the_same_and_needs_one_program(seq2seq, batch, counter):
    options = {"max_new_tokens": 9, "mask": batch.mask, "bos_id": 2}
    plain = greedy_decode(seq2seq, batch.tokens, **options)
    found = greedy_decode(seq2seq, batch.tokens, compile=True, **options)
    assert torch.equal(found, plain)
    assert counter.frame_count == 1


@pytest.mark.compiled
def test_beams_are_the_same(new_seq2seq, batch, counter):
    model = new_seq2seq()
    options = {"max_new_tokens": 7, "bos_id": 2, "eos_id": 3, "beam_width": 3}
    plain = beam_search(model, batch.tokens, **options)
    found = beam_search(model, batch.tokens, compile=True, **options)
    assert torch.equal(found.tokens, plain.tokens)
    torch.testing.assert_close(found.scores, plain.scores)
    assert counter.frame_count == 1


@pytest.mark.compiled
def test_what_is_drawn_is_the_same(new_decoder_only, batch, counter):
    model = new_decoder_only()
    options = {"max_new_tokens": 7, "temperature": 0.9, "seed": 5}
    plain = generate(model, batch.tokens, **options)
    assert torch.equal(generate(model, batch.tokens, compile=True, **options), plain)
    assert counter.frame_count == 1


@pytest.mark.compiled
@pytest.mark.skipif(not shutil.which("g++"), reason="a C++ compiler is needed")
@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")  # PyTorch's own
@facts("prepare", [lambda model: model, quantize_weights])
def test_a_step_becomes_machine_code(new_decoder_only, batch, prepare):
    sizes = {"d_model": 48, "d_ff": 64}  # whole blocks of the kernel for eight bits
    model = prepare(new_decoder_only(position="rotary", norm="rms", **sizes).float())
    options = {"max_new_tokens": 5}
    plain = greedy_decode(model, batch.tokens, **options)
    found = greedy_decode(model, batch.tokens, compile=True, **options)
    assert torch.equal(found, plain)


@pytest.mark.compiled
@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")  # PyTorch's own
def test_without_a_compiler_the_text_goes_on(new_decoder_only, batch):
    model, options = new_decoder_only(position="none"), {"max_new_tokens": 5}
    plain = greedy_decode(model, batch.tokens, **options)
    torch.compiler.reset()
    none = torch._inductor.config.patch({"cpp.cxx": ("no-such-compiler",)})
    with none, pytest.warns(UserWarning, match=r"C\+\+ compiler that works") as said:
        found = greedy_decode(model, batch.tokens, compile=True, **options)
    assert torch.equal(found, plain)
    (warning,) = [w for w in said if "compile=True" in str(w.message)]
    assert "install one, or leave compile out" in str(warning.message)


def test_compiled_steps_need_the_cache(new_decoder_only, batch):
    options = {"max_new_tokens": 5, "compile": True, "use_cache": False}
    said = r"^compile=True.*got use_cache=False.*leave one of the two out"
    with pytest.raises(ValueError, match=said):
        greedy_decode(new_decoder_only(), batch.tokens, **options)
