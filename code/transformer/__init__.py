"""The Transformer, built from tested parts: the code of *The Tested Transformer*."""
