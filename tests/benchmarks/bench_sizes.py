"""How large the benchmarks are."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """The shapes of a run; each default is that of the full run."""

    # Layers: those of the base model of 2017
    batch: int = 8
    lengths: tuple[int, ...] = (128, 512)
    d_model: int = 512
    num_heads: int = 8
    d_ff: int = 2048
    dropout: float = 0.1
    # Stacks: layers in the encoder and in the decoder; a few show what six would
    num_layers: int = 2
    # Language models: as deep as a small one, and narrow, so that what is spent around
    # the matrix products shows; heads are grouped as in Llama 3
    vocab_size: int = 1000
    language_d_model: int = 256
    language_d_ff: int = 688  # 8/3 of d_model, rounded up to a multiple of 16
    language_layers: int = 4
    language_heads: int = 8
    language_kv_heads: int = 2
    prompt: int = 16
    new_tokens: int = 512
    # Whether steps are compiled too, which takes minutes once
    compiled: bool = True
    # As large as SmolLM2: how much it writes, if anything, and the long prompt it reads
    larger_tokens: int = 64
    larger_prompt: int = 1000
    # A translator of number words
    translator_words: int = 50
    translator_d_model: int = 64
    translated: int = 64
    translated_length: int = 12
    beam_width: int = 4
    # A model that is trained: three layers a stack, short sentences
    seq2seq_d_model: int = 256
    seq2seq_heads: int = 8
    seq2seq_layers: int = 3
    seq2seq_batch: int = 64
    seq2seq_length: int = 32
    # A batch of which half is padding, and in how many buckets it is read
    padded_rows: int = 32
    buckets: int = 8
    # Norms: rows of d_model features
    rows: int = 4096
    # Memory: so long that the weights are larger than all else
    memory_length: int = 2048


FULL = Sizes()
QUICK = replace(
    FULL,
    lengths=(128,),
    num_layers=1,
    new_tokens=64,
    compiled=False,
    larger_tokens=16,
    larger_prompt=250,
    memory_length=512,
    seq2seq_layers=1,
)
