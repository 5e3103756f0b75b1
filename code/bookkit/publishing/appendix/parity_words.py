"""The words of the page of parity, and the order of its families."""

FAMILIES = {
    "Activations": ("layers/test_activations",),
    "Norms and residual connections": ("layers/test_norms", "layers/test_residual"),
    "Attention": ("layers/test_attention", "layers/test_multi_head_attention"),
    "Positions": (
        "layers/test_positional",
        "layers/test_rotary",
        "layers/test_rotary_scaling",
        "layers/test_relative",
        "layers/test_distances",
        "layers/test_alibi",
    ),
    "Feed-forward networks": (
        "layers/test_feed_forward",
        "layers/test_conv_feed_forward",
        "layers/test_mixture_of_experts",
    ),
    "Embeddings and heads": (
        "layers/test_embeddings",
        "blocks/test_inputs",
        "models/test_heads",
    ),
    "Layers and stacks": ("blocks/test_encoder", "blocks/test_decoder"),
    "Whole models": (
        "zoo/test_original",
        "zoo/test_bert",
        "zoo/test_gpt2",
        "zoo/test_t5",
        "zoo/test_llama",
        "zoo/test_gpt_neox",
        "zoo/test_loading",
    ),
    "A model with published weights": ("zoo/test_minilm",),
    "Training": ("training/test_loss", "training/test_schedules"),
    "Decoding": ("decoding/test_filters", "decoding/test_reference"),
}
WORDS = {
    "Whole models": "The models are small and random, with every parameter moved away "
    "from where it starts, because that is where errors hide. Ours loads the weights "
    "of theirs. The *exact reference* is theirs with norms and rotations computed in "
    "the type that it is given; *as it is*, it takes some steps in single precision "
    "even when it is asked for double.",
    "A model with published weights": "The weights are those that were published for "
    "`all-MiniLM-L6-v2`, an encoder of six layers. The numbers compared are its "
    "embeddings of five sentences.",
    "Decoding": "Tokens are whole numbers, so they must be equal, one by one. Where "
    "scores are compared, they are sums of logarithms of probabilities.",
}
# Facts that tests of several models state, under one heading.
SPELLED = {
    "logits and gradients equal marian": "logits and gradients equal the reference",
    "with a cache each step equals marian": "with a cache each step equals the "
    "reference",
    "the hidden states are those of marian in another order": "the hidden states are "
    "those of Marian in another order",
    "mistral without a window is a llama": "Mistral without a window is a Llama",
    "parity with gpt j which pairs neighbors": "parity with GPT-J, which pairs "
    "neighbors",
    "parity with gpt neox which rotates a quarter": "parity with GPT-NeoX, which "
    "rotates a quarter",
}
# Names as they are written, where the name of a test has small letters.
NAMES = {
    "hugging face": "Hugging Face",
    "bert": "BERT",
    "bloom": "BLOOM",
    "llama": "Llama",
    "marian": "Marian",
    "ntk": "NTK",
    "pytorch": "PyTorch",
    "t5": "T5",
}
INTRODUCTION = """\
# Parity with PyTorch and Hugging Face

**How close is the code of this book to the libraries that everybody uses?**

Many parts of the package exist elsewhere too: in PyTorch, and in the package
transformers of Hugging Face. Where they do, a test gives both the same weights and the
same input, and compares the results. If it can, it also compares the gradients of the
input and of all weights along one random direction. This page lists every such
comparison: {rows} of {tests}, against torch {torch} and transformers {transformers}. Of
the names in the column *theirs*, those that begin with `nn.`, `F.` or `optim.` are
PyTorch's, the others are Hugging Face's. The names in the column *ours* lead to the
tests.

The numbers of the columns *forward* and *gradient* are the largest absolute differences
that a run has measured, rounded up to a power of ten, so that the last bits of a
machine do not show: {double} in double precision and {single} in single stand for that
much or less, zero included. *Equal* means that each number must be the same. The
**bound** is
what the test asserts: a difference above it fails the test. Where a bound has a part
with |x|, it grows with the size of the number compared, and for numbers above 1 a
difference may be larger than the first part alone. *Shape* is that of the largest
tensor of values.

In {exact} of the {all_double} in double precision nothing but the order of the sums is
left to differ, and no difference is above {largest}. A bound of that size is what tells
a wrong formula from a rounded one. In the other {coarse} the reference itself takes
some steps in single precision: in its norms, its rotations, or the softmax of its
router. They have wider bounds, and so have rows in single precision.

A difference that is small says that two programs agree. It does not say that either is
right: for that there are equations done by hand and laws ([](how_it_is_checked.md)).
Half precision has no row here. There, tests bound the error of ours, against a
computation in double precision, by the error of theirs.
"""
CLOSING = """\
## How the page is kept true

The assertion and the row are one thing: a test that compares without a row here fails,
and so does one that uses another bound than the row says. When the tests run as a
whole, a row that no test makes any more fails the run too. `make parity` runs the
comparisons alone and writes the rows anew, and another test compares this page with the
rows.
"""
