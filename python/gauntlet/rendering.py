"""Pictures of boards, and the window that shows them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import MissingPackageError

Picture = npt.NDArray[np.uint8]
"""Pixels of shape (height, width, 3), red, green and blue."""

_CELL, _GAP = 96, 8
_FRAME = (70, 76, 84)
# Colour of a tile by its rank, linear between these ranks.
_RANKS = (0, 1, 5, 8, 11, 17)
_COLOURS = np.array(
    [(96, 104, 114), (236, 232, 220), (236, 164, 84), (204, 72, 72), (132, 60, 148), (24, 28, 72)]
)
# Digits of 5 rows and 3 columns; an octal digit is a row.
_DIGITS = (0o75557, 0o26227, 0o71747, 0o71717, 0o55711, 0o74717, 0o74757, 0o71111, 0o75757, 0o75717)

_POINT = 32
_WOOD, _LINE = (222, 184, 120), (110, 84, 44)
_STONES = {1: (20, 20, 20), 2: (245, 245, 245)}


def tiles(ranks: npt.NDArray[np.int8]) -> Picture:
    """Draws a board of 2048 with the values of its tiles."""
    step = _CELL + _GAP
    side = 4 * step + _GAP
    picture = np.full((side, side, 3), _FRAME, np.uint8)
    for (row, column), rank in np.ndenumerate(ranks):
        top, left = _GAP + row * step, _GAP + column * step
        picture[top : top + _CELL, left : left + _CELL] = _tile(int(rank))
    return picture


def _tile(rank: int) -> Picture:
    colour = [np.interp(rank, _RANKS, channel) for channel in _COLOURS.T]
    picture = np.full((_CELL, _CELL, 3), colour, np.uint8)
    if rank > 0:
        digits = [_digit(int(digit)) for digit in str(2**rank)]
        gap = np.zeros((5, 1), bool)
        text = np.hstack([part for digit in digits for part in (gap, digit)][1:])
        scale = min(8, (_CELL - 2 * _GAP) // text.shape[1])
        text = text.repeat(scale, axis=0).repeat(scale, axis=1)
        top, left = (_CELL - text.shape[0]) // 2, (_CELL - text.shape[1]) // 2
        is_light = np.mean(colour) > 140
        inside = picture[top : top + text.shape[0], left : left + text.shape[1]]
        inside[text] = (40, 40, 40) if is_light else (255, 255, 255)
    return picture


def _digit(number: int) -> npt.NDArray[np.bool_]:
    bits = [_DIGITS[number] >> place & 1 for place in reversed(range(15))]
    return np.array(bits, bool).reshape(5, 3)


def stones(cells: npt.NDArray[np.uint8]) -> Picture:
    """Draws a board of Gomoku: 0 is an empty point, 1 a black stone and 2 a white one."""
    size = len(cells)
    picture = np.full((size * _POINT, size * _POINT, 3), _WOOD, np.uint8)
    first, last = _POINT // 2, size * _POINT - _POINT // 2
    for line in range(first, last + 1, _POINT):
        picture[line, first : last + 1] = _LINE
        picture[first : last + 1, line] = _LINE
    place = np.arange(_POINT) - (_POINT - 1) / 2
    disc = np.hypot(*np.meshgrid(place, place)) < 0.45 * _POINT
    for (row, column), stone in np.ndenumerate(cells):
        if stone:
            top, left = row * _POINT, column * _POINT
            picture[top : top + _POINT, left : left + _POINT][disc] = _STONES[int(stone)]
    return picture


class Window:
    """Window for the render mode "human". It opens with its first picture."""

    def __init__(self, title: str, fps: int):
        self.title, self.fps = title, fps
        self._screen: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy opens its own window.
        return Window, (self.title, self.fps)

    def show(self, picture: Any) -> None:
        """Shows a picture, and waits until the next one is due."""
        try:
            import pygame
        except ImportError as error:
            raise MissingPackageError(
                "the render mode 'human' needs pygame: pip install 'gauntlet-bench[pygame]'"
            ) from error
        # The first coordinate of pygame is x.
        turned = picture.swapaxes(0, 1)
        if self._screen is None:
            pygame.display.init()
            pygame.display.set_caption(self.title)
            self._screen = pygame.display.set_mode(turned.shape[:2])
            self._clock = pygame.time.Clock()
        pygame.surfarray.blit_array(self._screen, turned)
        pygame.event.pump()
        pygame.display.flip()
        self._clock.tick(self.fps)

    def close(self) -> None:
        """Closes the window, if it is open."""
        if self._screen is not None:
            import pygame

            pygame.display.quit()
            self._screen = None
