"""The chapter on embeddings: its figures, experiments and answers."""
