"""The chapter on decoding: its figures, experiments and answers."""
