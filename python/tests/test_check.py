"""Checks of environments: sound ones pass, and each fault fails its rule."""

import importlib.util
import signal
import threading
import unittest

import gymnasium
import numpy as np

import gauntlet

LEFT, UP, RIGHT, DOWN = range(4)


# A shell starts background jobs with SIGINT ignored, and child processes would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

class Faulty(gymnasium.Env):
    """An environment of 2048 with the faults whose names are given."""

    def __init__(self, *faults, cells="values", illegal_raises=False):
        self.faults, self.cells, self.illegal_raises = set(faults), cells, illegal_raises
        self.action_space = gymnasium.spaces.Discrete(4)
        self.observation_space = gymnasium.spaces.Box(0, 2**20, (4, 4), np.int64)
        self.board = np.zeros((4, 4), np.int64)

    def has(self, fault):
        return fault in self.faults

    def reset(self, *, seed=None, options=None):
        super().reset(seed=None if self.has("seed-ignored") else seed)
        if self.has("observation-shared"):
            self.board[:] = 0
        else:
            self.board = np.zeros((4, 4), np.int64)
        self.add_tile(16)
        one = self.has("one-tile") or (self.has("one-tile-rarely") and self.chance(1 / 16))
        if not one:
            self.add_tile(15)
        return self.seen(), self.info()

    def chance(self, p):
        return self.np_random.random() < p

    def add_tile(self, empty_before):
        empty = np.flatnonzero(self.board.ravel() == 0)
        if self.has("stale-count"):
            empty = empty[:empty_before]
        if self.has("last-cell") and len(empty) > 1:
            empty = empty[:-1]
        if len(empty):
            four = self.chance(0.1) and not self.has("never-four")
            self.board.ravel()[self.np_random.choice(empty)] = 4 if four else 2

    def merged(self, tiles):
        """Returns the tiles of a line after the slide, and the points."""
        if self.has("wrong-end"):
            tiles = tiles[::-1]
        out, points, place = [], 0, 0
        while place < len(tiles):
            tile = tiles[place]
            may_merge = not (self.has("one-merge") and points)
            if place + 1 < len(tiles) and tiles[place + 1] == tile and may_merge:
                tile *= 1 if self.has("cap") and tile == 32768 else 2
                points += tile
                place += 1
                if self.has("merged-twice") and out and out[-1] == tile:
                    out.pop()
                    tile *= 2
                    points += tile
            out.append(tile)
            place += 1
        return (out[::-1] if self.has("wrong-end") else out), points

    def slide(self, action):
        after, points = np.zeros((4, 4), np.int64), 0
        turned, out = np.rot90(self.board, action), np.rot90(after, action)
        for row in range(4):
            tiles, gained = self.merged([int(tile) for tile in turned[row] if tile])
            out[row, : len(tiles)] = tiles
            points += gained
        return after, points

    def is_legal(self, action):
        return not np.array_equal(self.slide(action)[0], self.board)

    def step(self, action):
        after, points = self.slide(action)
        if not np.array_equal(after, self.board):
            empty_before = int((self.board == 0).sum())
            if self.has("observation-shared"):
                self.board[:] = after
            else:
                self.board = after
            self.add_tile(empty_before)
        elif self.illegal_raises:
            raise ValueError("illegal action")
        elif self.has("idle-tile"):
            self.board = self.board.copy()
            self.add_tile(int((self.board == 0).sum()))
        done = not any(map(self.is_legal, range(4)))
        if self.has("ends-at-2048") and self.board.max() >= 2048:
            done = True
        if self.has("ends-when-full"):
            done = bool(self.board.all())
        if self.has("too-late"):
            done = False
        if self.has("raises") and self.board.max() >= 256:
            raise IndexError("no tile above 128")
        if self.has("tile-sum"):
            points = int(self.board.sum())
        if self.has("halved"):
            points /= 2
        if self.has("reset-inside") and done:
            self.reset()
        return self.seen(), points, done, False, self.info()

    def seen(self):
        if self.cells == "values":
            return self.board
        ranks = np.log2(np.maximum(self.board, 1)).astype(np.int64)
        return ranks if self.cells == "ranks" else np.eye(18, dtype=np.int8)[ranks]

    def info(self):
        legal = [self.has("mask") or self.is_legal(action) for action in range(4)]
        return {"action_mask": np.array(legal)}


def put(environment, values):
    """Sets the board of `Faulty`."""
    environment.board = values.reshape(4, 4).copy()


def failures(report):
    """Returns the rules that failed with their reasons."""
    return {rule.rule: rule.reason for rule in report.rules if rule.verdict == "failed"}


def verdict(report, name):
    return next(rule.verdict for rule in report.rules if rule.rule == name)


class Sound(unittest.TestCase):
    def test_our_environment_passes(self):
        for seed in (1, 2, 3):
            report = gauntlet.check_env(gauntlet.make, games=30, seed=seed, set_board=gauntlet.Env.set_board)
            self.assertTrue(report.passed, str(report))
            self.assertEqual({rule.verdict for rule in report.rules}, {"passed"}, str(report))
        self.assertEqual(report.actions, ["up", "right", "down", "left"])
        self.assertEqual(report.cells, "ranks, shape 4 x 4")
        self.assertEqual((report.games, str(report)), (30, repr(report)))
        self.assertIn("13 passed of 13 rules", str(report))
        self.assertIn("<td>slide and merge</td><td>passed</td>", report._repr_html_())

    def test_registered_environments_pass(self):
        report = gauntlet.check_env(lambda: gymnasium.make("gauntlet/2048-v0"), games=4)
        self.assertTrue(report.passed, str(report))

    def test_encodings_are_found(self):
        for cells in ("values", "ranks", "planes"):
            report = gauntlet.check_env(lambda: Faulty(cells=cells), games=5)
            self.assertEqual((report.passed, report.moves > 0), (True, True), str(report))
            self.assertIn(cells, report.cells)
            self.assertEqual(report.actions, ["left", "up", "right", "down"])

    @unittest.skipUnless(importlib.util.find_spec("pgx"), "pgx is not installed")
    def test_pgx_passes(self):
        import jax
        import pgx

        game = pgx.make("2048")
        start, move = jax.jit(game.init), jax.jit(game.step)

        class Pgx:
            def reset(self, seed=None):
                seed = np.random.randint(2**31) if seed is None else seed
                self.key = jax.random.PRNGKey(seed)
                self.state = start(self.key)
                return self.state.observation

            def step(self, action):
                self.key, key = jax.random.split(self.key)
                self.state = move(self.state, action, key)
                state = self.state
                return state.observation, state.rewards[0], state.terminated, False, {}

        report = gauntlet.check_env(Pgx, games=5, mask=lambda env: env.state.legal_action_mask)
        self.assertTrue(report.passed, str(report))
        self.assertEqual(report.actions, ["left", "up", "right", "down"])


# Each fault, the rule that fails, and a part of the reason.
FAULTS = [
    ("never-four", "value of a new tile", "No new tile is a 4."),
    ("mask", "mask of legal actions", "allows every action"),
    ("cap", "tiles above 32768", "Tiles end at 32768"),
    ("stale-count", "cell of a new tile", ""),
    ("last-cell", "cell of a new tile", "last empty cell"),
    ("idle-tile", "illegal move: no change", "after an illegal move"),
    ("tile-sum", "reward", "sum of all tiles"),
    ("halved", "reward", "half"),
    ("merged-twice", "slide and merge", "merges again"),
    ("wrong-end", "slide and merge", "wrong end"),
    ("one-merge", "slide and merge", "Only one pair"),
    ("one-tile", "start: two random tiles", "one tile"),
    ("one-tile-rarely", "start: two random tiles", "one tile"),
    ("ends-at-2048", "end of the game", "2048"),
    ("ends-when-full", "end of the game", "full"),
    ("too-late", "end of the game", "continues"),
    ("observation-shared", "observations are kept", "return a copy"),
    ("reset-inside", "no reset inside step", "first board of the next game"),
    ("seed-ignored", "same seed, same game", "ignored"),
    ("raises", "slide and merge", "A legal move raises an error."),
]


class Faults(unittest.TestCase):
    def test_each_fault_fails_its_rule(self):
        # Play must reach 2048 to see that the game ends there.
        games = {"ends-at-2048": 20}
        for fault, rule, reason in FAULTS:
            with self.subTest(fault):
                played = games.get(fault, 6)
                report = gauntlet.check_env(lambda: Faulty(fault), games=played, set_board=put)
                failed = failures(report)
                self.assertFalse(report.passed, str(report))
                self.assertIn(rule, failed, str(report))
                self.assertIn(reason, failed[rule])

    def test_a_rule_has_its_first_violation(self):
        report = gauntlet.check_env(lambda: Faulty("halved"), games=6)
        [rule] = [rule for rule in report.rules if rule.verdict == "failed"]
        self.assertEqual((rule.rule, rule.wrong > 0), ("reward", True))
        self.assertEqual(report.actions[rule.example.action], rule.example.direction)
        self.assertEqual(len(rule.example.before), 16)
        self.assertIn("reward", rule.example.wrong)

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed")
    def test_rules_are_rows_of_a_frame(self):
        import pandas

        report = gauntlet.check_env(Faulty, games=1)
        frame = pandas.DataFrame(report.rules)
        self.assertEqual(list(frame["rule"]), [rule.rule for rule in report.rules])

    def test_the_environment_without_faults_passes(self):
        report = gauntlet.check_env(Faulty, games=20, set_board=put)
        self.assertEqual(failures(report), {}, str(report))

    def test_illegal_actions_may_raise(self):
        report = gauntlet.check_env(lambda: Faulty(illegal_raises=True), games=4)
        self.assertEqual(failures(report), {}, str(report))
        self.assertIn("An illegal move raises an error.", report.notes)


class Plain:
    """An object with `reset` and four results of `step`, as in old versions of Gym."""

    def __init__(self):
        self.inner = Faulty()

    def seed(self, seed):
        self.next_seed = seed

    def reset(self):
        seed, self.next_seed = getattr(self, "next_seed", None), None
        return {"grid": self.inner.reset(seed=seed)[0].tolist(), "score": 0}

    def step(self, action):
        board, reward, done, _, _ = self.inner.step(action)
        return {"grid": board.tolist(), "score": 0}, reward, done, {}

    def allowed(self):
        return self.inner.info()["action_mask"]


class Interfaces(unittest.TestCase):
    def test_old_environments_are_understood(self):
        report = gauntlet.check_env(Plain, games=4, mask="allowed")
        self.assertTrue(report.passed, str(report))
        for rule in ("same seed, same game", "mask of legal actions"):
            self.assertEqual(verdict(report, rule), "passed")
        report = gauntlet.check_env(Faulty, games=1, mask="action_mask", set_board=put)
        self.assertEqual(verdict(report, "tiles above 32768"), "passed")
        report = gauntlet.check_env(Plain, games=1)
        self.assertEqual(verdict(report, "mask of legal actions"), "not tested")

    def test_directions_and_cells_can_be_given(self):
        known = {"actions": "left,up,right,down", "cells": "values"}
        report = gauntlet.check_env(Faulty, games=5, **known)
        self.assertTrue(report.passed, str(report))
        with self.assertRaisesRegex(ValueError, 'expected up, right, down or left, got "lef"'):
            gauntlet.check_env(Faulty, actions=["lef"])
        with self.assertRaisesRegex(ValueError, 'expected "values", "ranks" or "planes"'):
            gauntlet.check_env(Faulty, cells="tiles")
        with self.assertRaisesRegex(RuntimeError, "3 directions were given for 4 actions"):
            gauntlet.check_env(Faulty, actions="left,up,right")

    def test_what_is_no_environment_is_refused(self):
        with self.assertRaisesRegex(TypeError, "a function that returns an environment"):
            gauntlet.check_env(Faulty())
        with self.assertRaisesRegex(TypeError, "`reset` and `step`, which 'int' lacks"):
            gauntlet.check_env(lambda: 5)
        with self.assertRaisesRegex(TypeError, "not a vector"):
            gauntlet.check_env(lambda: gauntlet.make_vec("2048", num_envs=2))
        with self.assertRaisesRegex(TypeError, "mask: neither `info` nor the environment has 'no'"):
            gauntlet.check_env(Faulty, mask="no")
        broken = Faulty()
        broken.step = lambda action: (broken.board, 0, False)
        with self.assertRaisesRegex(TypeError, "step must return"):
            gauntlet.check_env(lambda: broken)

    def test_errors_of_every_reset_are_a_verdict(self):
        broken = Faulty()
        broken.reset = lambda seed=None: 1 / 0
        report = gauntlet.check_env(lambda: broken)
        self.assertIn("ZeroDivisionError", str(report))
        self.assertEqual(verdict(report, "slide and merge"), "cannot tell")
        self.assertEqual((report.passed, report.result, report.reason), (False, "failed", None))

    def test_errors_of_every_step_are_a_failure(self):
        broken = Faulty()
        broken.step = lambda action: 1 / 0
        report = gauntlet.check_env(lambda: broken)
        self.assertEqual((report.passed, report.result), (False, "failed"))
        self.assertIn("A legal move raises an error.", failures(report)["slide and merge"])
        self.assertEqual(str(report).count("ZeroDivisionError"), 1, str(report))

    def test_another_game_is_undecided(self):
        report = gauntlet.check_env(lambda: gymnasium.make("CartPole-v1"))
        reason = "an observation of shape 4 is not a board of 16 cells"
        self.assertEqual((report.passed, report.result, report.reason), (False, "undecided", reason))
        self.assertEqual({rule.verdict for rule in report.rules}, {"cannot tell"})
        for shown in (str(report), report._repr_html_()):
            self.assertEqual(shown.count(reason), 1, shown)

    def test_few_games_are_undecided(self):
        report = gauntlet.check_env(Faulty, games=1)
        self.assertEqual((report.passed, report.result), (False, "undecided"))
        self.assertIn("cell of a new tile, value of a new tile: fewer than 500", report.reason)

    def test_rewards_may_be_missing(self):
        class NoReward(Faulty):
            def step(self, action):
                board, _, *rest = super().step(action)
                return board, None, *rest

        for factory, options in [
            (NoReward, {}), (lambda: Faulty("halved"), {"reward": False})
        ]:
            report = gauntlet.check_env(factory, games=5, **options)
            self.assertTrue(report.passed, str(report))
            reward = next(rule for rule in report.rules if rule.rule == "reward")
            self.assertEqual((reward.verdict, reward.reason), ("not tested", "no reward"))

    def test_rewards_may_be_nan(self):
        class NanReward(Faulty):
            def step(self, action):
                board, _, *rest = super().step(action)
                return board, float("nan"), *rest

        report = gauntlet.check_env(NanReward, games=5, reward=False)
        self.assertTrue(report.passed, str(report))

    def test_an_interrupt_ends_the_check(self):
        steps = []

        class Interrupted(Faulty):
            def step(self, action):
                steps.append(action)
                if len(steps) == 700:
                    signal.raise_signal(signal.SIGINT)
                return super().step(action)

        self.assertIs(threading.current_thread(), threading.main_thread())
        with self.assertRaises(KeyboardInterrupt):
            gauntlet.check_env(Interrupted)
        self.assertEqual(len(steps), 700)


if __name__ == "__main__":
    unittest.main()
