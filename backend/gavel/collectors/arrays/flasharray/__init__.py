"""Pure Storage FlashArray over REST 2.x."""
