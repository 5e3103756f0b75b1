"""The commands: train, translate, evaluate and write from the command line."""

from transformer.commands.main import main

__all__ = ["main"]
