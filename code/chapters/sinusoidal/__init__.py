"""The chapter on sinusoidal positions: its figures, experiments and answers."""
