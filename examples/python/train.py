"""Trains a small network on `gauntlet.make_vec`, draws its learning curve, and gets its verdict.

    python examples/python/train.py --moves 1000000 --curve curve.svg

The network estimates the points that follow an afterstate: a board after a slide, before the new
tile. It learns by temporal differences, TD(0), from its own play.
"""

import argparse
import time

import gauntlet
import numpy as np

DISCOUNT, SCALE, RANKS = 0.99, 0.01, 18


def slide_left():
    """Returns the row after a slide to the left, and its points, for each row of four ranks."""
    after, points = np.zeros((RANKS**4, 4), np.int8), np.zeros(RANKS**4, np.float32)
    for number, row in enumerate(np.ndindex(*4 * (RANKS,))):
        tiles, merged = [rank for rank in row if rank], []
        while tiles:
            if len(tiles) > 1 and tiles[0] == tiles[1] < RANKS - 1:
                merged.append(tiles[0] + 1)
                points[number] += 2 ** merged[-1]
                tiles = tiles[2:]
            else:
                merged.append(tiles.pop(0))
        after[number, : len(merged)] = merged
    return after, points


ROWS, POINTS = slide_left()
PLACES = RANKS ** np.arange(3, -1, -1)


def afterstates(boards):
    """Returns the boards after up, right, down and left, (n, 4, 4, 4), and their points."""
    columns = boards.swapaxes(1, 2)
    turned = [columns, boards[:, :, ::-1], columns[:, :, ::-1], boards]
    numbers = np.stack(turned, axis=1) @ PLACES
    up, right, down, left = (ROWS[numbers[:, action]] for action in range(4))
    after = [up.swapaxes(1, 2), right[:, :, ::-1], down[:, :, ::-1].swapaxes(1, 2), left]
    return np.stack(after, axis=1), POINTS[numbers].sum(axis=2)


class Network:
    """One hidden layer on one-hot cells, trained by Adam."""

    def __init__(self, hidden, seed):
        generator = np.random.default_rng(seed)
        first = generator.normal(0, 0.1, (16 * RANKS, hidden))
        last = generator.normal(0, 0.01, hidden)
        self.weights = [first, np.zeros(hidden), last, np.zeros(1)]
        self.weights = [weight.astype(np.float32) for weight in self.weights]
        self.moments = [(np.zeros_like(own), np.zeros_like(own)) for own in self.weights]
        self.steps = 0

    def forward(self, boards):
        """Returns inputs, hidden layer and values of boards."""
        first, first_bias, last, last_bias = self.weights
        ranks = boards.reshape(-1, 16, 1) == np.arange(RANKS)
        inputs = ranks.reshape(-1, 16 * RANKS).astype(np.float32)
        hidden = np.maximum(inputs @ first + first_bias, 0)
        return inputs, hidden, hidden @ last + last_bias

    def fit(self, boards, targets, rate):
        """Moves the values of boards towards targets."""
        inputs, hidden, values = self.forward(boards)
        errors = (values - targets) / len(boards)
        back = np.where(hidden > 0, np.outer(errors, self.weights[2]), 0)
        gradients = [inputs.T @ back, back.sum(axis=0)]
        gradients += [hidden.T @ errors, errors.sum(keepdims=True)]
        self.steps += 1
        for weight, (mean, square), gradient in zip(self.weights, self.moments, gradients):
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient**2 - square)
            unbiased = square / (1 - 0.999**self.steps)
            weight -= rate / (1 - 0.9**self.steps) * mean / (np.sqrt(unbiased) + 1e-8)

    def choose(self, boards, legal):
        """Returns the best legal actions, their afterstates and their values, 0 without one."""
        after, points = afterstates(boards)
        values = np.full(legal.shape, -np.inf, np.float32)
        values[legal] = SCALE * points[legal] + DISCOUNT * self.forward(after[legal])[2]
        actions = values.argmax(axis=1)
        games = np.arange(len(boards))
        return actions, after[games, actions], np.where(legal.any(axis=1), values.max(axis=1), 0)


def train(network, envs, moves, points=40):
    """Returns the learning curve: moves played, and the mean score of games that ended since."""
    boards, info = envs.reset()
    steps = moves // envs.num_envs
    curve, scores, earlier, was_alive = [], [], None, None
    for step in range(1, steps + 1):
        legal = info["action_mask"].astype(bool)
        actions, after, values = network.choose(boards, legal)
        if earlier is not None:
            rate = 1e-3 * (1 - 0.9 * step / steps)
            network.fit(earlier[was_alive], values[was_alive], rate)
        # Where no move is legal, the next step begins an episode.
        earlier, was_alive = after, legal.any(axis=1)
        boards, _, ended, _, info = envs.step(actions)
        scores += envs.scores()[ended].tolist()
        if step % max(1, steps // points) == 0 and scores:
            curve.append((step * envs.num_envs, float(np.mean(scores))))
            print(f"{curve[-1][0]:>12,} moves: mean score {curve[-1][1]:,.0f}", flush=True)
            scores = []
    return curve


def draw(curve, width=640, height=360, margin=60):
    """Returns a learning curve as SVG."""
    moves, scores = np.array(curve).T
    x = margin + moves / moves.max() * (width - 2 * margin)
    y = height - margin - scores / scores.max() * (height - 2 * margin)
    line = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y))
    bottom, right = height - margin, width - margin
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"
 font-family="sans-serif" font-size="13">
<rect width="{width}" height="{height}" fill="white"/>
<path d="M{margin} {margin}V{bottom}H{right}" fill="none" stroke="black"/>
<polyline points="{line}" fill="none" stroke="#1f77b4" stroke-width="2"/>
<text x="{right}" y="{bottom + 20}" text-anchor="end">{moves.max():,.0f}</text>
<text x="{width / 2}" y="{bottom + 40}" text-anchor="middle">moves played</text>
<text x="{margin - 6}" y="{margin}" text-anchor="end">{scores.max():,.0f}</text>
<text x="{margin - 6}" y="{bottom}" text-anchor="end">0</text>
<text x="{margin}" y="{margin - 20}">mean score of games that ended</text>
</svg>
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--moves", type=int, default=1_000_000)
    parser.add_argument("--envs", type=int, default=256)
    parser.add_argument("--hidden", type=int, default=128)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--curve", default="curve.svg")
    options = parser.parse_args()
    network = Network(options.hidden, seed=1)
    start = time.process_time()
    curve = train(network, gauntlet.make_vec("2048", options.envs, seed=1), options.moves)
    if not curve:
        raise SystemExit("no game ended: use more --moves")
    speed = options.moves / (time.process_time() - start)
    print(f"{speed:,.0f} moves per CPU second")
    with open(options.curve, "w", encoding="utf-8") as file:
        file.write(draw(curve))

    def td(boards, legal):
        return network.choose(boards, legal)[0]

    result = gauntlet.evaluate(
        {"td": td}, against=["greedy", "random"], games=options.games, seed=1_000
    )
    print(result)
    print(result.compare("td", "greedy", by="score"))


if __name__ == "__main__":
    main()
