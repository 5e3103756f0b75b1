"""The chapter on the field guide to positions: its figures, experiments and answers."""
