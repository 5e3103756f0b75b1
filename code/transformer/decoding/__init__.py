"""Decoding: from the scores of next tokens to texts."""

from transformer.decoding.beam import Hypotheses, beam_search, length_divisor
from transformer.decoding.continuation import Continuation
from transformer.decoding.correction import acceptance, residual
from transformer.decoding.filters import (
    apply_temperature,
    keep_min_p,
    keep_top_k,
    keep_top_p,
    mark_seen,
    penalize_repetition,
)
from transformer.decoding.generation import Way, generate
from transformer.decoding.greedy import greedy_decode
from transformer.decoding.sampling import sample
from transformer.decoding.shaping import Shaping, draw
from transformer.decoding.speculative import Speculation, speculative_sample
from transformer.decoding.texts import Speaks

__all__ = [
    "Continuation",
    "Hypotheses",
    "Shaping",
    "Speaks",
    "Speculation",
    "Way",
    "acceptance",
    "apply_temperature",
    "beam_search",
    "draw",
    "generate",
    "greedy_decode",
    "keep_min_p",
    "keep_top_k",
    "keep_top_p",
    "length_divisor",
    "mark_seen",
    "penalize_repetition",
    "residual",
    "sample",
    "speculative_sample",
]
