"""Explorers: figures that a reader can move, a module and a script in a chapter."""
