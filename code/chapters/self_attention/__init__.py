"""The chapter on self-attention: its figures, experiments and answers."""
