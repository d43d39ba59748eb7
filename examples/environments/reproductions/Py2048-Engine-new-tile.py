"""Py2048-Engine: a move on a full board adds no tile."""

from Py2048_Engine.Game import Game

game = Game([[2, 2, 4, 8], [4, 8, 16, 32], [8, 16, 32, 64], [16, 32, 64, 128]])
game.left()
tiles = [tile for row in game.getBoard() for tile in row if tile]
print("tiles after two of 16 merge:", len(tiles))
