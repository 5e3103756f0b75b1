"""A step with a cache is one graph, whatever the cache holds by then."""

from dataclasses import replace

import pytest
import torch
from torch._dynamo.testing import CompileCounter
from torch.testing import assert_close

from transformer.models import DecoderOnlyTransformer, Transformer
from transformer.zoo import CONFIGS

SMALL = {"vocab_size": 13, "d_model": 12, "d_ff": 7, "num_heads": 2}


def compiled(function):
    """The function without a way back into Python, and how often it was compiled."""
    counter = CompileCounter()
    return torch.compile(
        function, backend=counter, fullgraph=True, dynamic=True
    ), counter


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["gpt2", "llama-2-7b"])
@torch.no_grad()
def test_all_steps_of_a_language_model_run_in_one_graph(name):
    config = replace(CONFIGS[name], **SMALL, max_len=11, num_decoder_layers=2)
    model, tokens = DecoderOnlyTransformer(config).eval(), torch.randint(13, (3, 11))
    step, counter = compiled(model.hidden_states)
    cache = model.new_cache(3)
    model.hidden_states(tokens[:, :4], cache=cache)
    found = [step(tokens[:, i : i + 1], cache=cache) for i in range(4, 11)]
    assert_close(torch.cat(found, dim=1), model.hidden_states(tokens)[:, 4:])
    assert (counter.frame_count, cache.length) == (1, 11)


@pytest.mark.compiled
@torch.no_grad()
def test_all_steps_of_an_encoder_decoder_run_in_one_graph():
    sizes = {"num_encoder_layers": 2, "num_decoder_layers": 2, "max_len": 11}
    model = Transformer(replace(CONFIGS["transformer-base"], **SMALL, **sizes)).eval()
    source, target = torch.randint(13, (2, 3, 11))
    memory = model.encode(source)
    step, counter = compiled(model.decode)
    cache = model.new_cache(memory)
    model.decode(target[:, :4], memory, cache=cache)
    found = [step(target[:, i : i + 1], memory, cache=cache) for i in range(4, 11)]
    assert_close(torch.cat(found, dim=1), model.decode(target, memory)[:, 4:])
    assert (counter.frame_count, cache.length) == (1, 11)
