"""Py2048-Engine: an illegal move adds a tile."""

from Py2048_Engine.Game import Game

game = Game([[2, None, None, None]] + [[None] * 4 for _ in range(3)])
game.left()
tiles = [tile for row in game.getBoard() for tile in row if tile]
print("tiles after left, where no tile can move:", len(tiles))
