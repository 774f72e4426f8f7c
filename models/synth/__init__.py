"""Synthetic cards: faces of decks that nobody printed, and scenes as an overhead camera would see them."""
