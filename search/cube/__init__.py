"""Turning cubes: places and stickers, turns, ranks and bitmaps of the pocket cube, symmetries, nets."""
