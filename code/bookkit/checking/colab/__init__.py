"""Open notebooks as Colab would: alone, in a clean environment, from top to bottom."""

from bookkit.checking.colab.environment import Environment, layered, serve_repository
from bookkit.checking.colab.session import open_notebook

__all__ = [
    "Environment",
    "layered",
    "open_notebook",
    "serve_repository",
]
