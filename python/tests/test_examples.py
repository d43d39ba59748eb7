"""The examples of search and training."""

import contextlib
import importlib.util
import io
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock
from xml.etree import ElementTree

import gauntlet
import numpy as np

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples/python"


def load(name):
    """Imports an example."""
    specification = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


class Examples(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)

    def main(self, module, *words):
        """Runs an example, and returns what it prints."""
        printed = io.StringIO()
        with mock.patch.object(sys, "argv", [module.__name__, *words]):
            with contextlib.redirect_stdout(printed):
                module.main()
        return printed.getvalue()

    def test_a_search_merges_the_large_tiles(self):
        mcts = load("mcts")
        search = mcts.Search(simulations=60, rollout_moves=3)
        # Only a slide up or down merges anything, and scores far more than other moves.
        board = np.array([[10, 1, 2, 1], [10, 2, 1, 2], [0, 0, 0, 0], [0, 0, 0, 0]], np.int8)
        actions = {search.best_action(board) for _ in range(3)}
        self.assertEqual(len(actions), 1)
        self.assertLessEqual(actions, {0, 2})
        output = self.main(mcts, "--games", "2", "--simulations", "4")
        self.assertRegex(output, r"mcts vs greedy: .* score")
        self.assertRegex(output, r"\n[1-9][\d,]* moves: [\d.]+ ms of CPU per move\n")
        self.assertNotIn("forfeited", output)

    def test_a_search_does_not_see_the_next_tiles(self):
        search = load("mcts").Search(simulations=50, rollout_moves=0)
        env = gauntlet.make()
        env.reset(seed=1)
        state = env.get_state()
        board, *_ = env.set_state(state)
        seen = set()
        with mock.patch.object(search, "roll_out", lambda: seen.add(search.env.get_state()[:16].tobytes()) or 0.0):
            search.best_action(board)
        self.assertGreater(len(seen), 8)

    def test_afterstates_are_those_of_the_environment(self):
        train = load("train")
        envs = gauntlet.make_vec(num_envs=50, seed=1)
        boards, info = envs.reset()
        for step in range(200):
            after, points = train.afterstates(boards)
            masks = info["action_mask"].astype(bool)
            actions = masks[:, np.roll(np.arange(4), step)].argmax(axis=1)
            actions = (actions - step) % 4
            chosen = after[np.arange(50), actions]
            is_legal = masks[np.arange(50), actions]
            boards, rewards, _, _, info = envs.step(actions)
            np.testing.assert_array_equal(points[np.arange(50), actions][is_legal], rewards[is_legal])
            # One tile is new.
            self.assertTrue(((boards != chosen).sum(axis=(1, 2))[is_legal] == 1).all())

    def test_training_lowers_the_error_and_draws_a_curve(self):
        train = load("train")
        network = train.Network(16, seed=1)
        boards = np.random.default_rng(1).integers(0, 8, (200, 4, 4), np.int8)
        targets = (boards == 0).sum(axis=(1, 2)).astype(np.float32)
        errors = []
        for _ in range(100):
            errors.append(float(((network.forward(boards)[2] - targets) ** 2).mean()))
            network.fit(boards, targets, 1e-2)
        self.assertLess(errors[-1], errors[0] / 10)
        output = self.main(train, "--moves", "20000", "--envs", "32", "--hidden", "8", "--games", "5")
        self.assertRegex(output, r"td vs greedy: .* score")
        self.assertRegex(output, r"\n[1-9][\d,]* moves per CPU second\n")
        self.assertNotIn("forfeited", output)
        [line] = ElementTree.parse("curve.svg").findall("{*}polyline")
        self.assertEqual(len(line.get("points").split()), output.count(" moves: mean score "))
        with self.assertRaisesRegex(SystemExit, "no game ended: use more --moves"):
            self.main(train, "--moves", "320", "--envs", "32", "--hidden", "8")


if __name__ == "__main__":
    unittest.main()
