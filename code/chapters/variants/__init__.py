"""The chapter on feed-forward variants: its figures, experiments and answers."""
