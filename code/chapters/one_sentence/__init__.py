"""The chapter on one sentence in a Transformer: its figures and answers."""
