"""Monte Carlo tree search on the states of `gauntlet.make("2048")`, and its verdict.

    python examples/python/mcts.py --games 10 --simulations 50
"""

import argparse
import math
import random
import time

import gauntlet


class Node:
    """A board to move, with the boards that followed each action."""

    def __init__(self, actions):
        self.visits = dict.fromkeys(actions, 0)
        self.totals = dict.fromkeys(actions, 0.0)
        self.children = {}

    def select(self):
        """Returns an untried action, or the one with the largest upper confidence bound."""
        if 0 in self.visits.values():
            return next(action for action, count in self.visits.items() if count == 0)
        total = sum(self.visits.values())
        # Returns have no upper limit, so exploration is in units of their mean.
        unit = sum(self.totals.values()) / total
        log = math.log(total)
        return max(
            self.visits,
            key=lambda action: self.totals[action] / self.visits[action]
            + unit * math.sqrt(log / self.visits[action]),
        )


class Search:
    """Tree search whose leaves are valued by the points of random moves."""

    def __init__(self, simulations, rollout_moves=20):
        self.simulations, self.rollout_moves = simulations, rollout_moves
        self.env = gauntlet.make("2048", illegal="error")

    def best_action(self, board):
        """Returns the action with the most visits. It depends on the board alone."""
        self.random = random.Random(board.tobytes())
        self.env.set_board(board)
        state, root = self.env.get_state(), Node(self.env.legal_actions())
        for _ in range(self.simulations):
            # Another seed for each simulation: the search must not see the tiles that will come.
            self.env.set_state(state, seed=self.random.getrandbits(63))
            self.simulate(root)
        return max(root.visits, key=root.visits.get)

    def simulate(self, node):
        """Descends to a new node, values it, and adds the return to each node of the path."""
        path, value, is_new = [], 0.0, False
        while node.visits and not is_new:
            action = node.select()
            board, reward, *_ = self.env.step(action)
            path.append((node, action, reward))
            key = action, board.tobytes()
            is_new = key not in node.children
            if is_new:
                node.children[key] = Node(self.env.legal_actions())
                value = self.roll_out()
            node = node.children[key]
        for node, action, reward in reversed(path):
            value += reward
            node.visits[action] += 1
            node.totals[action] += value

    def roll_out(self):
        """Returns the points of random moves."""
        points = 0.0
        actions = self.env.legal_actions()
        for _ in range(self.rollout_moves):
            if not actions:
                break
            points += self.env.step(self.random.choice(actions))[1]
            actions = self.env.legal_actions()
        return points


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--simulations", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    search = Search(options.simulations)

    def mcts(boards, legal):
        return [search.best_action(board) for board in boards]

    start = time.process_time()
    result = gauntlet.evaluate(
        {"mcts": mcts}, against=["greedy", "random"], games=options.games, seed=options.seed
    )
    seconds = time.process_time() - start
    print(result)
    moves = sum(game["moves"] for game in result.games if game["player"] == "mcts")
    print(f"{moves:,} moves: {1000 * seconds / moves:.1f} ms of CPU per move")
    print(result.compare("mcts", "greedy", by="score"))


if __name__ == "__main__":
    main()
