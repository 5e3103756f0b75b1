"""The way in: what is known of a token is added up."""

from dataclasses import replace

import torch
from torch.testing import assert_close
from transformers import BertConfig
from transformers.models.bert.modeling_bert import BertEmbeddings

from bookkit.checking.facts import facts, refusals
from transformer.blocks import InputEmbedding
from transformer.blocks.inputs import over_scores, real_tokens
from transformer.config import TransformerConfig
from transformer.layers import sinusoidal_table

CONFIG = TransformerConfig(vocab_size=7, max_len=11, d_model=6, num_heads=2)
BERT = replace(
    CONFIG,
    num_decoder_layers=0,
    num_segments=2,
    position="learned",
    norm_embeddings=True,
    scale_embeddings=False,
    norm_eps=1e-12,
)
TOKENS = torch.tensor([[1, 6, 1, 2], [3, 0, 5, 5]])


def test_the_paper_adds_scaled_embeddings_and_sinusoids():
    embed = InputEmbedding(CONFIG).double()
    expected = embed.tokens.embedding.weight[TOKENS] * 6**0.5
    # The table was rounded to the default dtype when it was made.
    table = sinusoidal_table(11, 6).float().double()
    assert_close(embed(TOKENS), expected + table[:4])


def test_positions_count_from_start():
    embed = InputEmbedding(CONFIG)
    table = sinusoidal_table(11, 6).float()
    moved = embed(TOKENS, start=7) - embed(TOKENS)
    assert_close(moved, (table[7:11] - table[:4]).expand(2, 4, 6))


@facts("position", ["rotary", "relative", "alibi", "none"])
def test_positions_inside_attention_leave_the_input_alone(position):
    embed = InputEmbedding(replace(CONFIG, d_head=4, position=position))
    assert torch.equal(embed(TOKENS, start=5000), embed(TOKENS))


def test_parity_with_hugging_face_bert_and_gradient(parity):
    config = BertConfig(
        vocab_size=7,
        hidden_size=6,
        max_position_embeddings=11,
        num_attention_heads=2,
        hidden_dropout_prob=0.0,
    )
    theirs, ours = BertEmbeddings(config).double(), InputEmbedding(BERT).double()
    pairs = {
        "tokens.embedding.weight": "word_embeddings.weight",
        "segments.embedding.weight": "token_type_embeddings.weight",
        "positions.embedding.weight": "position_embeddings.weight",
        "norm.weight": "LayerNorm.weight",
        "norm.bias": "LayerNorm.bias",
    }
    state = theirs.state_dict()
    ours.load_state_dict({our: state[their] for our, their in pairs.items()})
    segments, direction = (
        torch.tensor([[0, 0, 1, 1]]).expand(2, 4),
        torch.randn(2, 4, 6),
    )
    mine, reference = ours(TOKENS, segments=segments), theirs(TOKENS, segments)
    compared = parity(ours, theirs)
    compared.values(mine, reference, rtol=0, atol=1e-12)
    for output in (mine, reference):
        output.backward(direction.double())
    gradients = dict(theirs.named_parameters())
    padding = theirs.word_embeddings.padding_idx  # its row is kept without gradient
    for name, parameter in ours.named_parameters():
        expected = gradients[pairs[name]].grad
        if name == "tokens.embedding.weight":
            expected[padding] = parameter.grad[padding]
        compared.gradients(parameter.grad, expected, rtol=0, atol=1e-12)


def test_segments_that_are_not_given_are_the_first():
    embed = InputEmbedding(BERT)
    zeros = torch.zeros_like(TOKENS)
    assert torch.equal(embed(TOKENS), embed(TOKENS, segments=zeros))
    assert not torch.equal(embed(TOKENS), embed(TOKENS, segments=zeros + 1))


@facts("scale_embeddings", [False, True])
@facts("position", ["learned", "none"])
def test_segments_are_added_as_they_are(position, scale_embeddings):
    choices = {"position": position, "scale_embeddings": scale_embeddings}
    config = replace(BERT, norm_embeddings=False, **choices)
    embed, zeros = InputEmbedding(config), torch.zeros_like(TOKENS)
    first, second = embed.segments.embedding.weight
    change = embed(TOKENS, segments=zeros + 1) - embed(TOKENS, segments=zeros)
    assert_close(change, (second - first).expand_as(change))


@facts("pad_id", [None, 1])
@facts("scale_embeddings", [False, True])
def test_each_token_learns_from_every_place_where_it_is_read(pad_id, scale_embeddings):
    # Whether a token counts is said by masks: one with the id of padding may be real.
    choices = {"pad_id": pad_id, "scale_embeddings": scale_embeddings}
    embed = InputEmbedding(replace(CONFIG, **choices))
    embed(TOKENS).sum().backward()
    read = TOKENS.flatten().bincount(minlength=7) * (6**0.5 if scale_embeddings else 1)
    gradient = embed.tokens.embedding.weight.grad
    assert_close(gradient, read[:, None].float().expand(7, 6))


def test_dropout_acts_on_the_sum_in_training_only():
    embed = InputEmbedding(replace(CONFIG, dropout=0.25))
    many = TOKENS.repeat(2000, 1)
    kept = embed(many) != 0
    share = kept.double().mean().item()
    assert abs(share - 0.75) < 5 * (0.75 * 0.25 / kept.numel()) ** 0.5
    calm = embed.eval()(many)
    embed.train()
    torch.manual_seed(1)
    noisy = embed(many)
    assert_close(noisy[noisy != 0], calm[noisy != 0] / 0.75)


def test_dropout_comes_after_the_norm():
    embed = InputEmbedding(replace(BERT, dropout=0.5))
    calm, noisy = embed.eval()(TOKENS), embed.train()(TOKENS)
    kept = noisy != 0
    assert 0 < kept.sum() < kept.numel()
    assert_close(noisy[kept], calm[kept] / 0.5)  # normalized before it was dropped


def test_padding_is_told_from_real_tokens():
    assert real_tokens("tokens", TOKENS, None, None) is None
    assert torch.equal(real_tokens("tokens", TOKENS, None, 1), TOKENS != 1)
    given = TOKENS > 2
    assert torch.equal(real_tokens("tokens", TOKENS, given, 1), given)
    assert over_scores(given).shape == (2, 1, 1, 4)
    assert over_scores(None) is None


@facts("dtype", [torch.uint8, torch.int8, torch.int64])
def test_padding_of_an_id_that_no_byte_holds_is_no_other_id(dtype):
    tokens = torch.tensor([[44, 7, 43]], dtype=dtype)  # 300 = 256 + 44
    assert real_tokens("tokens", tokens, None, 300).tolist() == [[True, True, True]]
    assert real_tokens("tokens", tokens, None, 44).tolist() == [[False, True, True]]


BAD_INPUTS = {
    TypeError: {
        "the mask of source.*got torch.float32; write": lambda: real_tokens(
            "source", TOKENS, torch.ones(2, 4), None
        ),
        "the mask of source.*got list": lambda: real_tokens(
            "source", TOKENS, [[True]], None
        ),
        "source.*got torch.float64": lambda: real_tokens(
            "source", TOKENS.double(), None, None
        ),
    },
    ValueError: {
        "segments need embeddings, .* num_segments=0; leave them out": lambda: (
            InputEmbedding(CONFIG)(TOKENS, segments=TOKENS)
        ),
        r"segments.*got shape \(2, 3\) for tokens of shape \(2, 4\)": lambda: (
            InputEmbedding(BERT)(TOKENS, segments=TOKENS[:, :3] * 0)
        ),
        "segments.*0.*1.*got others; number": lambda: InputEmbedding(BERT)(
            TOKENS, segments=TOKENS * 0 + 2
        ),
        "positions.*below max_len=11.*got 4 positions from 8 on": lambda: (
            InputEmbedding(CONFIG)(TOKENS, start=8)
        ),
        "tokens.*got a single id; add": lambda: InputEmbedding(CONFIG)(TOKENS[0, 0]),
        r"source.*\(batch, time\).*got \(4,\)": lambda: real_tokens(
            "source", TOKENS[0], None, None
        ),
        r"target.*got \(2, 0\); begin": lambda: real_tokens(
            "target", TOKENS[:, :0], None, None
        ),
        r"the mask of source.*\(2, 4\).*got \(2, 1, 4\) on cpu": lambda: real_tokens(
            "source", TOKENS, torch.ones(2, 1, 4).bool(), None
        ),
    },
}


@refusals(BAD_INPUTS)
def test_bad_input_is_refused_with_what_to_do(error, words, call, refuses):
    refuses(call, error, words)
