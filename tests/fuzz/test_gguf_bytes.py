"""Files of GGUF: read, or refused in a sentence."""

from dataclasses import replace

import gguf
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from transformer.decoding import greedy_decode
from transformer.zoo.gguf import PieceTokenizer, load_llama, read_gguf

fuzz = settings.get_profile("fuzz")
PIECES = [*"abcdefgh", "ab", "<end>"]
WIDTH, INNER = 8, 12
FIELDS = {
    "block_count": 1,
    "context_length": 16,
    "embedding_length": WIDTH,
    "feed_forward_length": INNER,
    "attention.head_count": 2,
    "attention.head_count_kv": 1,
    "rope.dimension_count": 4,
    "vocab_size": len(PIECES),
}
SHAPES = {
    "token_embd": (len(PIECES), WIDTH),
    "output_norm": (WIDTH,),
    "blk.0.attn_norm": (WIDTH,),
    "blk.0.attn_q": (WIDTH, WIDTH),
    "blk.0.attn_k": (4, WIDTH),
    "blk.0.attn_v": (4, WIDTH),
    "blk.0.attn_output": (WIDTH, WIDTH),
    "blk.0.ffn_norm": (WIDTH,),
    "blk.0.ffn_gate": (INNER, WIDTH),
    "blk.0.ffn_up": (INNER, WIDTH),
    "blk.0.ffn_down": (WIDTH, INNER),
}
TEMPLATE = "{% for m in messages %}{{ m.content }}<end>{% endfor %}"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The bytes of a small Llama and its tokenizer."""
    path = tmp_path_factory.mktemp("gguf") / "small.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    for name, number in FIELDS.items():
        writer.add_uint32(f"llama.{name}", number)
    writer.add_float32("llama.attention.layer_norm_rms_epsilon", 1e-5)
    writer.add_string("tokenizer.ggml.model", "gpt2")
    writer.add_string("tokenizer.ggml.pre", "smollm")
    writer.add_array("tokenizer.ggml.tokens", PIECES)
    writer.add_array("tokenizer.ggml.token_type", [1] * 9 + [3])
    writer.add_array("tokenizer.ggml.merges", ["a b"])
    writer.add_uint32("tokenizer.ggml.eos_token_id", 9)
    writer.add_string("tokenizer.chat_template", TEMPLATE)
    numbers = np.random.default_rng(0)
    for name, shape in SHAPES.items():
        tensor = numbers.normal(size=shape).astype(np.float32)
        writer.add_tensor(f"{name}.weight", tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path.read_bytes()


def use(file, answer):
    """Let a model of a file write, and its tokenizer talk."""
    model = answer(lambda: load_llama(file), TypeError, ValueError)
    if model is not None and model.config.vocab_size > 2:
        prompt = torch.tensor([[1, 2]])
        answer(
            lambda: greedy_decode(model, prompt, max_new_tokens=2),
            *(FloatingPointError, ValueError),
        )
    tokenizer = answer(lambda: PieceTokenizer(file), ValueError)
    if tokenizer is not None:
        talk = [{"role": "user", "content": "ab"}]
        answer(lambda: tokenizer.chat(talk), ValueError)
        tokenizer.decode(tokenizer.encode("abc"))


@fuzz
@given(data=st.data())
def test_a_file_of_spoiled_bytes_is_used_or_refused(
    data, whole, spoil, answer, tmp_path
):
    path = tmp_path / "small.gguf"
    path.write_bytes(spoil(data, whole))
    file = answer(lambda: read_gguf(path), ValueError)
    if file is not None:
        use(file, answer)


@fuzz
@given(data=st.data())
def test_a_file_of_other_fields_is_used_or_refused(
    data, whole, anything, answer, tmp_path
):
    path = tmp_path / "small.gguf"
    path.write_bytes(whole)
    file = read_gguf(path)
    fields, tensors = dict(file.fields), dict(file.tensors)
    arrays = st.lists(st.integers(0, 2**31), max_size=12).map(np.array)
    words = st.lists(st.text(max_size=3), max_size=12)
    for _ in range(data.draw(st.integers(1, 3))):
        name = data.draw(st.sampled_from(sorted(fields)))
        kind = data.draw(st.sampled_from(["replace", "remove", "add", "tensor"]))
        if kind == "tensor" and tensors:
            del tensors[data.draw(st.sampled_from(sorted(tensors)))]
        elif kind == "remove":
            del fields[name]
        else:
            name = f"llama.{data.draw(st.text(max_size=5))}" if kind == "add" else name
            fields[name] = data.draw(st.one_of(anything, arrays, words))
    use(replace(file, fields=fields, tensors=tensors), answer)
