"""What the figures of all chapters are drawn with."""
