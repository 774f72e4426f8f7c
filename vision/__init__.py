"""The seeing room: pictures in, cards with a place and an honest certainty out. Knows a card and a seat, no rule."""
