"""Token embeddings look rows up."""

import torch
from torch import nn
from torch.testing import assert_close

from bookkit.checking.facts import facts, refusals
from transformer.layers import TokenEmbedding


def test_a_look_up_is_a_one_hot_row_times_the_matrix():
    embedding = TokenEmbedding(7, 5)
    tokens = torch.tensor([[1, 6, 1]])
    one_hot = nn.functional.one_hot(tokens, 7).float()
    assert_close(embedding(tokens), one_hot @ embedding.embedding.weight)


def test_scale_multiplies_by_the_root_of_d_model():
    embedding = TokenEmbedding(7, 16, scale=True)
    tokens = torch.tensor([[3]])
    assert torch.equal(embedding(tokens)[0, 0], 4 * embedding.embedding.weight[3])


@facts("shape", [(5,), (2, 3), (2, 3, 5)])
@facts("dtype", [torch.int64, torch.int32, torch.uint8])
def test_features_are_added_as_the_last_axis(shape, dtype):
    tokens = torch.zeros(shape, dtype=dtype)
    assert TokenEmbedding(7, 11)(tokens).shape == (*shape, 11)


def test_only_looked_up_rows_get_gradient_and_repeats_add_up():
    embedding = TokenEmbedding(7, 3)
    embedding(torch.tensor([1, 5, 1])).sum().backward()
    expected = torch.zeros(7, 3)
    expected[1], expected[5] = 2, 1
    assert torch.equal(embedding.embedding.weight.grad, expected)


def test_parity_with_pytorch_and_gradient(parity):
    ours, theirs = TokenEmbedding(7, 3).double(), nn.Embedding(7, 3).double()
    theirs.load_state_dict(ours.embedding.state_dict())
    tokens, direction = torch.tensor([[1, 5, 1]]), torch.randn(1, 3, 3).double()
    ours(tokens).backward(direction)
    theirs(tokens).backward(direction)
    compared, same = parity(ours, theirs), {"rtol": 0, "atol": 0}
    compared.values(ours(tokens), theirs(tokens), **same)
    compared.gradients(ours.embedding.weight.grad, theirs.weight.grad, **same)


def test_scaled_embeddings_start_with_unit_variance():
    embedding = TokenEmbedding(1000, 64, scale=True)
    vectors = embedding(torch.arange(1000))
    # 64,000 draws: the standard error of the variance is 0.006
    assert abs(vectors.var() - 1) < 0.03


BAD_INPUTS = {
    ValueError: {
        "token ids.*0.*6.*got ids from 0 to 7; check": lambda: TokenEmbedding(7, 3)(
            torch.tensor([0, 7])
        ),
        "token ids.*0.*6.*got ids from -1 to 2": lambda: TokenEmbedding(7, 3)(
            torch.tensor([-1, 2])
        ),
    },
    TypeError: {
        "tokens.*got torch.float32": lambda: TokenEmbedding(7, 3)(torch.zeros(2)),
        "tokens must be a tensor.*got list; .*torch.tensor": lambda: TokenEmbedding(
            7, 3
        )([1, 2]),
    },
}


@refusals(BAD_INPUTS)
def test_bad_input_is_refused_with_what_to_do(error, words, call, refuses):
    refuses(call, error, words)
