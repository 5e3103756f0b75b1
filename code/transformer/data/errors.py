"""What is wrong with data, rather than with a call."""


class DataError(Exception):
    """Data cannot be had or used; the message says why, and what to do."""
