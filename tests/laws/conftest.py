"""The laws of decoding hold for the models on which decoding is tested."""

import runpy
from pathlib import Path

_SHARED = runpy.run_path(str(Path(__file__).parents[1] / "decoding/conftest.py"))
decoder_only, new_decoder_only, markov = (
    _SHARED[name] for name in ("decoder_only", "new_decoder_only", "markov")
)
