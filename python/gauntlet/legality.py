"""Illegal moves of policies: their number, the first one, and orders of directions that fit."""

from __future__ import annotations

import itertools

import numpy as np

DIRECTIONS = ("up", "right", "down", "left")

PACKAGES = {
    ("left", "up", "right", "down"): "pgx, gym-2048, gym-2048-extended and rl2048player",
    ("up", "down", "left", "right"): "textarena and ash2048",
    ("right", "left", "up", "down"): "twenty48",
    ("left", "right", "up", "down"): "Py2048-Engine",
}
"""Other packages, by the directions of their actions 0 to 3."""

_SAMPLE_SIZE = 4096
_ORDERS = np.array(list(itertools.permutations(range(4))))
"""Directions of the moves 0 to 3, in all orders. The first one is ours."""


class MoveChecker:
    """Checks the moves of a policy, and keeps its first moves as a sample.

    The first moves contain legal and illegal moves, so orders of directions can be compared. Later
    moves are only checked for legality.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.first_illegal = ""
        self._sample: list[tuple[np.ndarray, np.ndarray]] = []
        self._sample_size = 0
        self._offsets = np.empty(0, np.int64)

    def check(self, boards: bytes, legal: bytes, moves: np.ndarray) -> bool:
        """Returns whether all moves are legal, given as contiguous int64."""
        count = len(moves)
        if self._sample_size < _SAMPLE_SIZE:
            table = np.frombuffer(legal, np.bool_).reshape(count, 4)
            self._sample.append((moves.copy(), table))
            self._sample_size += count
        if self._are_legal(legal, moves):
            return True
        if not self.first_illegal:
            self.first_illegal = _describe_first(boards, legal, moves)
        return False

    def _are_legal(self, legal: bytes, moves: np.ndarray) -> bool:
        count = len(moves)
        if count <= 8:
            # NumPy takes longer for so few moves.
            for place, move in enumerate(moves.tolist()):
                if not 0 <= move < 4 or not legal[4 * place + move]:
                    return False
            return True
        if count > len(self._offsets):
            self._offsets = np.arange(0, 4 * count, 4)
        # The bits of all moves show whether one is negative or above 3.
        if not 0 <= np.bitwise_or.reduce(moves) < 4:
            return False
        return 0 not in np.frombuffer(legal, np.uint8)[self._offsets[:count] + moves].tobytes()

    def describe_order(self) -> str:
        """Returns a sentence about another order of directions that fits the moves, or nothing."""
        if not self._sample:
            return ""
        moves = np.concatenate([moves for moves, _ in self._sample])
        legal = np.concatenate([legal for _, legal in self._sample])
        rows, is_direction = np.arange(len(moves)), (moves >= 0) & (moves < 4)
        directions = np.where(is_direction, moves, 0)
        if len(np.unique(moves[is_direction])) < len(DIRECTIONS):
            # Orders that differ only in unused numbers cannot be told apart.
            return ""
        is_legal = np.array([legal[rows, order[directions]] & is_direction for order in _ORDERS])
        illegal = (~is_legal).sum(axis=1)
        best = int(illegal.argmin())
        # A policy with a bug may also be illegal a little less often in another order.
        if 10 * illegal[best] > illegal[0] or illegal[0] == 0:
            return ""
        better = (is_legal[best] & ~is_legal).sum(axis=1)
        worse = (~is_legal[best] & is_legal).sum(axis=1)
        # Four standard deviations of a sign test against each other order, as if moves were
        # independent.
        is_clear = (better - worse) ** 2 >= 16 * (better + worse)
        is_clear &= better > worse
        is_clear[best] = True
        if not is_clear.all():
            if len(moves) >= _SAMPLE_SIZE:
                return ""
            return (
                "It may use another order of directions, but "
                f"{len(moves):,} moves are too few to tell which."
            )
        order = tuple(DIRECTIONS[direction] for direction in _ORDERS[best])
        package = f" of {PACKAGES[order]}" if order in PACKAGES else ""
        return (
            f"This looks like the order {', '.join(order)}{package}: in this order "
            f"{len(moves) - illegal[best]:,} of the first {len(moves):,} moves are legal, but "
            f"{len(moves) - illegal[0]:,} in the order {', '.join(DIRECTIONS)}."
        )


def _describe_first(boards: bytes, legal: bytes, moves: np.ndarray) -> str:
    """Describes the first illegal move, with its board."""
    tables = [legal[start : start + 4] for start in range(0, len(legal), 4)]
    pairs = enumerate(zip(moves.tolist(), tables, strict=True))
    place, move, table = next(
        (place, move, table)
        for place, (move, table) in pairs
        if not 0 <= move < 4 or not table[move]
    )
    direction = DIRECTIONS[move] if 0 <= move < 4 else "no direction"
    return (
        f"{move} ({direction}), on the board\n{_text(boards, place)}\n"
        f"Legal: {', '.join(itertools.compress(DIRECTIONS, table))}."
    )


def _text(boards: bytes, place: int) -> str:
    """Returns a board as text."""
    ranks = boards[16 * place : 16 * place + 16]
    cells = [str(1 << rank) if rank else "." for rank in ranks]
    width = max(map(len, cells))
    lines = (cells[row : row + 4] for row in range(0, 16, 4))
    return "\n".join("  " + " ".join(cell.rjust(width) for cell in line) for line in lines)
