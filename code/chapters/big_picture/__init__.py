"""The chapter on the big picture: its figures, experiments and answers."""
