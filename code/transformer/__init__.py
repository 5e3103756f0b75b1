"""The Transformer, built from tested parts: the code of *The Tested Transformer*."""

__version__ = "0.1.0"
