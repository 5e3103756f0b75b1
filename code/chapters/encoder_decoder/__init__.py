"""The chapter on encoder and decoder: its figures, experiments and answers."""
