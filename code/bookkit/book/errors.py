"""The error that every command of the book turns into one sentence."""


class BookError(Exception):
    """What is wrong, where, and what to do about it."""
