"""The parts of the architecture: where each stands, and which chapter is about it."""

TITLE = "The architecture of the Transformer: each box leads to its chapter"
DESCRIPTION = (
    "Two columns, read from the bottom to the top. On the left the encoder: the source "
    "becomes embeddings, positions are added, and each of six layers applies "
    "self-attention in several heads, then a feed-forward network, each followed by a "
    "sum and a norm. On the right the decoder: the translation so far goes the same "
    "way, with masked self-attention, then cross-attention, which reads what the "
    "encoder made, then a feed-forward network. At the top come the probabilities of "
    "the next token, from which training learns and decoding chooses. Dashed boxes in "
    "a third column stand beside the parts that later models replaced."
)

TOP = 12  # the row of the headings

# In reading order: column, row from the bottom, chapter, and its name, with the breaks
# that a phone needs. Parts of one block (BLOCKS) touch.
PARTS = (
    ("encoder", 12, "attention/big_picture", "Start: the\nbig picture"),
    ("encoder", 1, "attention/embeddings", "Token\nembeddings"),
    ("encoder", 2, "position/sinusoidal", "Add\npositions"),
    ("encoder", 3, "attention/self_attention", "Self-attention"),
    ("encoder", 4, "attention/multi_head_attention", "in several\nheads"),
    ("encoder", 5, "normalization/residual_connections", "Add and norm"),
    ("encoder", 6, "feed_forward/feed_forward", "Feed-forward"),
    ("encoder", 7, "feed_forward/activations", "with an\nactivation"),
    ("encoder", 8, "normalization/layer_norm", "Add and norm"),
    ("encoder", 9, "architecture/encoder_decoder", "Encoder:\n6 such layers"),
    ("decoder", 1, "attention/embeddings", "Token\nembeddings"),
    ("decoder", 2, "position/sinusoidal", "Add\npositions"),
    ("decoder", 3, "attention/multi_head_attention", "Masked self-\nattention"),
    ("decoder", 4, "normalization/residual_connections", "Add and norm"),
    ("decoder", 5, "architecture/encoder_decoder", "Cross-\nattention"),
    ("decoder", 6, "normalization/residual_connections", "Add and norm"),
    ("decoder", 7, "feed_forward/feed_forward", "Feed-forward"),
    ("decoder", 8, "normalization/layer_norm", "Add and norm"),
    ("decoder", 9, "architecture/encoder_decoder", "Decoder:\n6 such layers"),
    ("decoder", 10, "architecture/one_sentence", "Linear and\nsoftmax"),
    ("decoder", 11, "architecture/decoding", "Choose the\nnext token"),
    ("encoder", 10, "architecture/is_it_the_model", "Checks before\ntraining"),
    ("encoder", 11, "architecture/training", "Training:\nthe loss"),
    ("decoder", 12, "architecture/one_page", "All of it\non one page"),
    ("today", 2, "position/field_guide", "A dozen\nother ways"),
    ("today", 3, "position/rotary", "Rotary\npositions"),
    ("today", 4, "normalization/rms_norm", "RMSNorm"),
    ("today", 5, "beyond/model_zoo", "GPT, Llama:\nno encoder"),
    ("today", 6, "normalization/norm_placement", "Norm first,\nthen add"),
    ("today", 7, "feed_forward/variants", "Gates, experts"),
    ("today", 10, "beyond/ablations", "What a part\nis worth"),
    ("today", 9, "beyond/inside", "Inside a\nreal model"),
    ("today", 11, "beyond/cost_and_scale", "What it\nall costs"),
)
BLOCKS = {("encoder", 3), ("encoder", 6)}  # the lower part of each
HEADINGS = {12}
LEADERS = range(2, 8)  # the rows of the later inventions
# Around which rows a residual line runs, and the row where it is added.
LOOPS = {"encoder": ((3, 5), (6, 8)), "decoder": ((3, 4), (5, 6), (7, 8))}
# What the translator of the first page computes in a box, under the package's names:
# the box lights up meanwhile.
COMPUTED = {
    ("encoder", 1): "encoder.embedding",
    ("encoder", 2): "encoder.positions",
    ("encoder", 3): "encoder.self_attention",
    ("encoder", 4): "encoder.self_attention",
    ("encoder", 5): "encoder.self_attention_residual",
    ("encoder", 6): "encoder.feed_forward",
    ("encoder", 7): "encoder.feed_forward",
    ("encoder", 8): "encoder.feed_forward_residual",
    ("decoder", 1): "decoder.embedding",
    ("decoder", 2): "decoder.positions",
    ("decoder", 3): "decoder.self_attention",
    ("decoder", 4): "decoder.self_attention_residual",
    ("decoder", 5): "decoder.cross_attention",
    ("decoder", 6): "decoder.cross_attention_residual",
    ("decoder", 7): "decoder.feed_forward",
    ("decoder", 8): "decoder.feed_forward_residual",
    ("decoder", 10): "decoder.head",
    ("decoder", 11): "decoder.choice",
}
# Words for what a twin of the translator lacks: they are struck out.
TWINS = {
    "Add and norm": {"Add": "skips", "norm": "norms"},
    "Add\npositions": {"Add": "positions", "positions": "positions"},
    "Masked self-\nattention": {"Masked": "causal-mask"},
}
NOT_DRAWN: dict[str, str] = {}  # chapter: why it has no box
# What is no chapter of its own.
WORDS = {
    ("encoder", 0): "a sentence",
    ("decoder", 0): "its translation\nso far",
    ("today", 8): "in later\nmodels:",
    ("today", 12): "measured:",
}
