"""The chapter on multi-head attention: its figures, experiments and answers."""
