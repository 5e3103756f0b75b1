"""The second explorer of the chapter on decoding: from logits to a drawn word."""
