"""The chapter on feed-forward networks: its figures, experiments and answers."""
