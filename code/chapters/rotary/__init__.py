"""The chapter on rotary positions: its figures, experiments and answers."""
