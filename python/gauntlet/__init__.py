"""A bench for game-playing AIs: play, compare and check 2048 players from Python."""

from ._gauntlet import __version__

__all__ = ["__version__"]
