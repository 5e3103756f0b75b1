"""The commands: train, translate and evaluate from the command line."""

from transformer.commands.main import main

__all__ = ["main"]
