"""Environments: the rules of Gymnasium and PettingZoo, and the games of `gauntlet run`."""

import contextlib
import csv
import io
import pathlib
import unittest
import warnings

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env as check_gymnasium
from gymnasium.vector import AutoresetMode

import gauntlet
from gauntlet import env as environments

DIRECTIONS = ["up", "right", "down", "left"]


def first_legal(masks):
    """Returns the first legal action of each environment."""
    return masks.argmax(axis=1)


class OneGame(unittest.TestCase):
    def test_gymnasium_accepts_it(self):
        with warnings.catch_warnings(action="error"):
            check_gymnasium(gauntlet.make("2048"))
        made = gymnasium.make("gauntlet/2048-v0")
        board, info = made.reset(seed=5)
        self.assertEqual(made.unwrapped.observation_space.contains(board), True)
        self.assertEqual(info["seed"], 5)

    def test_an_episode_has_the_score_of_its_rewards(self):
        env = gauntlet.make(render_mode="ansi")
        board, info = env.reset(seed=1)
        self.assertEqual(np.count_nonzero(board), 2)
        total = 0.0
        while True:
            action = int(info["action_mask"].argmax())
            board, reward, terminated, truncated, info = env.step(action)
            total += reward
            self.assertFalse(truncated)
            if terminated:
                break
        self.assertEqual(total, info["score"])
        self.assertEqual(info["action_mask"].sum(), 0)
        self.assertEqual(len(env.render().split()), 16)
        with self.assertRaisesRegex(ValueError, "is over: reset it first"):
            env.step(0)

    def test_a_step_is_that_of_many_environments(self):
        env, envs = gauntlet.make(), gauntlet.make_vec(num_envs=1, autoreset_mode="Disabled")
        _, info = env.reset(seed=3)
        envs.reset(seed=[3])
        first = None
        for step in range(2000):
            action = step % 4
            board, reward, terminated, truncated, info = env.step(action)
            boards, rewards, ends, truncations, infos = envs.step(np.array([action]))
            np.testing.assert_array_equal(board, boards[0])
            np.testing.assert_array_equal(info["action_mask"], infos["action_mask"][0])
            self.assertEqual((board.dtype, info["action_mask"].dtype), (np.int8, np.int8))
            self.assertEqual(
                (reward, terminated, truncated, info["action_bits"], info["score"], info["seed"]),
                (rewards[0], ends[0], truncations[0], infos["action_bits"][0], envs.scores()[0], 3),
            )
            if first is None:
                first, copy = board, board.copy()
            if terminated:
                break
        self.assertTrue(terminated)
        np.testing.assert_array_equal(first, copy)
        first[0, 0] = 1  # A caller may change the arrays.

    def test_illegal_actions(self):
        def at_top(illegal):
            env = gauntlet.make(illegal=illegal)
            env.reset(seed=1)
            env.set_board([1, 2, 3, 4] + 12 * [0])
            return env

        board, reward, terminated, _, _ = at_top("ignore").step(0)
        self.assertEqual((reward, terminated, np.count_nonzero(board)), (0.0, False, 4))
        with self.assertRaisesRegex(ValueError, "action 0 of environment 0 is illegal"):
            at_top("error").step(0)
        self.assertTrue(at_top("end").step(0)[2])
        with self.assertRaisesRegex(ValueError, "action 4 of environment 0 is not 0 "):
            at_top("ignore").step(4)

    def test_large_tiles_merge(self):
        env = gauntlet.make()
        env.reset(seed=1)
        env.set_board([16, 16] + 14 * [0])
        board, reward, *_ = env.step(3)
        self.assertEqual((int(board[0, 0]), reward), (17, 131072.0))

    def test_rules_of_an_experiment(self):
        env = gauntlet.make(rules={"win": 16, "until": "win"})
        _, info = env.reset(seed=3)
        terminated = False
        while not terminated:
            board, _, terminated, _, info = env.step(int(info["action_mask"].argmax()))
        self.assertEqual(board.max(), 4)
        env = gauntlet.make(rules={"start": "512 256 . .  . . . .  . . . .  . . . 128"})
        board, info = env.reset(seed=3)
        self.assertEqual((board.flat[[0, 1, 15]].tolist(), np.count_nonzero(board)), ([9, 8, 7], 5))
        with self.assertRaisesRegex(ValueError, "rules: expected one of 'win', .*, got 'wim'"):
            gauntlet.make(rules={"wim": 16})
        for rules, message in (({"win": "x"}, "`win`: "), ({"spawn": 3}, "`spawn`: "), ({"start": "2"}, "`start`: ")):
            with self.assertRaisesRegex(ValueError, message) as caught:
                gauntlet.make_vec(rules=rules)
            self.assertNotIn(" column ", str(caught.exception))


class ManyGames(unittest.TestCase):
    def test_shapes_and_types(self):
        envs = gauntlet.make_vec("2048", num_envs=7, seed=1)
        boards, info = envs.reset()
        self.assertEqual((boards.shape, boards.dtype), ((7, 4, 4), np.int8))
        self.assertEqual((info["action_mask"].shape, info["action_mask"].dtype), ((7, 4), np.int8))
        self.assertEqual((info["action_bits"].shape, info["action_bits"].dtype), ((7,), np.uint8))
        boards, rewards, terminated, truncated, info = envs.step(first_legal(info["action_mask"]))
        self.assertEqual((rewards.shape, rewards.dtype), ((7,), np.float64))
        for ends in (terminated, truncated):
            self.assertEqual((ends.shape, ends.dtype), ((7,), np.bool_))
        self.assertTrue(envs.observation_space.contains(boards))
        made = gymnasium.make_vec("gauntlet/2048-v0", num_envs=3)
        self.assertIsInstance(made.unwrapped, environments.VectorEnv)

    def test_a_step_does_not_change_earlier_arrays(self):
        envs = gauntlet.make_vec(num_envs=5, seed=1)
        boards, info = envs.reset()
        before, masks = boards.copy(), info["action_mask"].copy()
        for _ in range(20):
            _, _, _, _, info_later = envs.step(np.zeros(5, int))
            self.assertIsNot(info_later["action_mask"], info["action_mask"])
        np.testing.assert_array_equal(boards, before)
        np.testing.assert_array_equal(info["action_mask"], masks)

    def test_seeds_are_block_seeds(self):
        vector = gauntlet.make_vec(num_envs=4, seed=0)
        boards, info = vector.reset(seed=[9, 8, 7, 6])
        singles = [gauntlet.make() for _ in range(4)]
        for env, seed in zip(singles, [9, 8, 7, 6]):
            env.reset(seed=seed)
        for _ in range(50):
            actions = first_legal(info["action_mask"])
            boards, _, _, _, info = vector.step(actions)
            for i, env in enumerate(singles):
                np.testing.assert_array_equal(env.step(actions[i])[0], boards[i])
        same, _ = vector.reset(seed=6)
        self.assertEqual(vector.seeds().tolist(), [6, 7, 8, 9])
        again, _ = vector.reset(seed=[6, 7, 8, 9])
        np.testing.assert_array_equal(same, again)

    def test_games_are_those_of_the_bench(self):
        results = pathlib.Path(__file__).parents[2] / "results/leaderboard/games.csv"
        with results.open() as file:
            rows = [row for row in csv.DictReader(file) if row["player"] == "fixed-order"]
        seeds = [int(row["seed"]) for row in rows]
        experiment = gauntlet.make_vec(num_envs=len(rows), seed=27)
        experiment.reset()
        self.assertEqual(experiment.seeds().tolist(), seeds)
        envs = gauntlet.make_vec(num_envs=len(rows))
        _, info = envs.reset(seed=seeds)
        scores, moves = np.zeros(len(rows)), np.zeros(len(rows), int)
        is_first = np.ones(len(rows), bool)
        while is_first.any():
            order = [DIRECTIONS.index(name) for name in ("down", "left", "right", "up")]
            actions = np.array(order)[info["action_mask"][:, order].argmax(axis=1)]
            _, rewards, terminated, _, info = envs.step(actions)
            scores[is_first] += rewards[is_first]
            moves[is_first] += 1
            is_first &= ~terminated
        self.assertEqual(scores.astype(int).tolist(), [int(row["score"]) for row in rows])
        self.assertEqual(moves.tolist(), [int(row["moves"]) for row in rows])

    def test_an_experiment_has_its_blocks_one_after_another(self):
        # The block seeds of `gauntlet run` with `seed = 1`.
        twelve = gauntlet.make_vec(num_envs=12, seed=1)
        twelve.reset()
        seeds = twelve.seeds().tolist()
        three = gauntlet.make_vec(num_envs=3, seed=1)
        for episode in range(4):
            three.reset()
            self.assertEqual(three.seeds().tolist(), seeds[3 * episode :][:3])

    def play_to_ends(self, mode, steps=800):
        envs = gauntlet.make_vec(num_envs=6, seed=3, autoreset_mode=mode)
        _, info = envs.reset()
        for _ in range(steps):
            result = envs.step(first_legal(info["action_mask"]))
            info = result[4]
            yield envs, result

    def test_the_next_step_begins_an_episode(self):
        ended = np.zeros(6, bool)
        episodes = 0
        for _, (boards, rewards, terminated, _, info) in self.play_to_ends(AutoresetMode.NEXT_STEP):
            self.assertTrue((np.count_nonzero(boards[ended], axis=(1, 2)) == 2).all())
            self.assertTrue((rewards[ended] == 0).all() and not terminated[ended].any())
            self.assertTrue((info["action_bits"][terminated] == 0).all())
            ended = terminated
            episodes += terminated.sum()
        self.assertGreater(episodes, 5)

    def test_the_same_step_begins_an_episode(self):
        episodes = 0
        for envs, result in self.play_to_ends(AutoresetMode.SAME_STEP):
            boards, _, terminated, _, info = result
            self.assertTrue((np.count_nonzero(boards[terminated], axis=(1, 2)) == 2).all())
            self.assertEqual("final_obs" in info, bool(terminated.any()))
            for i in np.flatnonzero(terminated):
                self.assertEqual(np.count_nonzero(info["final_obs"][i]), 16)
                self.assertTrue(info["_final_obs"][i])
                self.assertGreater(info["final_info"]["score"][i], 0)
                self.assertNotIn(info["final_info"]["seed"][i], envs.seeds())
            episodes += terminated.sum()
        self.assertGreater(episodes, 5)

    def test_without_autoreset_the_user_begins_episodes(self):
        for envs, (_, _, terminated, _, _) in self.play_to_ends(AutoresetMode.DISABLED):
            if terminated.any():
                break
        with self.assertRaisesRegex(ValueError, "is over: reset it first"):
            envs.step(np.zeros(6, int))
        seeds = envs.seeds()
        boards, _ = envs.reset(options={"reset_mask": terminated})
        np.testing.assert_array_equal(envs.seeds() != seeds, terminated)
        self.assertTrue((np.count_nonzero(boards[terminated], axis=(1, 2)) == 2).all())

    def test_seeds_and_masks_that_make_no_sense_are_refused(self):
        envs = gauntlet.make_vec(num_envs=3, seed=1)
        for seed in (-1, 2**63, 2**63 - 2, [1, 2], [1, 2, -3]):
            with self.assertRaisesRegex(ValueError, "seed"):
                envs.reset(seed=seed)
        with self.assertRaises(TypeError):
            envs.reset(seed=1.7)
        for mask in ([True, False], [1, 0, 0], [False, False, False]):
            with self.assertRaisesRegex(ValueError, "reset_mask: expected 3 booleans"):
                envs.reset(options={"reset_mask": mask})
        for name in ("mask", "reset_masks"):
            with self.assertRaisesRegex(gauntlet.Error, "options: expected one of 'reset_mask', got"):
                envs.reset(options={name: None})

    def test_a_mask_selects_which_seeds_are_used(self):
        envs = gauntlet.make_vec(num_envs=3, seed=1)
        envs.reset()
        before = envs.seeds().tolist()
        mask = np.array([False, True, False])
        envs.reset(seed=[7, np.int64(8), None], options={"reset_mask": mask})
        self.assertEqual(envs.seeds().tolist(), [before[0], 8, before[2]])

    def test_the_action_of_a_reset_is_ignored(self):
        envs = gauntlet.make_vec(num_envs=1, seed=1, illegal="end")
        envs.reset()
        envs.set_board([[1, 2, 3, 4] + 12 * [0]])
        _, _, terminated, _, info = envs.step([0])
        self.assertTrue(terminated[0] and not info["action_mask"].any())
        boards, _, terminated, _, _ = envs.step([-1])
        self.assertEqual((np.count_nonzero(boards), terminated[0]), (2, False))

    def test_errors_name_the_environment_and_nothing_moves(self):
        envs = gauntlet.make_vec(num_envs=3, seed=1, illegal="error")
        boards, info = envs.reset()
        actions = first_legal(info["action_mask"])
        actions[2] = 4
        with self.assertRaisesRegex(ValueError, "action 4 of environment 2"):
            envs.step(actions)
        for wrong in (actions[:2], actions[:, None], [0.9, 1.0, 2.0], [True, False, True]):
            with self.assertRaisesRegex(ValueError, "expected 3 integers as actions"):
                envs.step(wrong)
        np.testing.assert_array_equal(envs._core.games.seeds(), envs.seeds())
        again, _ = gauntlet.make_vec(num_envs=3, seed=1).reset()
        np.testing.assert_array_equal(again, boards)


class Gomoku(unittest.TestCase):
    def test_pettingzoo_accepts_it(self):
        from pettingzoo.test import api_test

        for make in (gauntlet.gomoku.env, gauntlet.gomoku.raw_env):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                with contextlib.redirect_stdout(io.StringIO()):
                    api_test(make(size=9), num_cycles=200)
            # Its observations are dicts, and the first board is empty.
            texts = {str(warning.message) for warning in caught}
            self.assertEqual({text for text in texts if not text.startswith("Observation")}, set())

    def test_wrappers_check_calls(self):
        env = gauntlet.gomoku.env(size=9)
        with self.assertRaisesRegex(AssertionError, "reset"):
            env.step(0)
        env.reset(seed=1)
        with self.assertRaises(AssertionError):
            env.step(81)
        self.assertIsInstance(env.unwrapped, gauntlet.gomoku.GomokuEnv)
        raw = gauntlet.gomoku.raw_env(size=9)
        raw.reset(seed=1)
        raw.step(81)
        self.assertTrue(raw.infos["black_0"]["illegal"])

    def test_errors_name_the_key(self):
        for options, key in (({"size": 300}, "size"), ({"rule": "renju"}, "rule")):
            with self.assertRaisesRegex(ValueError, f"^`{key}`: ") as caught:
                gauntlet.gomoku.env(**options)
            self.assertNotIn(" column ", str(caught.exception))

    def test_five_in_a_row_win(self):
        env = gauntlet.gomoku.env(size=9, render_mode="ansi")
        env.reset(seed=1)
        for black, white in zip(range(4), range(9, 13)):
            env.step(black)
            env.step(white)
        self.assertEqual(env.observe("white_1")["observation"][1, :4, 0].tolist(), [1, 1, 1, 1])
        env.step(4)
        self.assertEqual((env.rewards["black_0"], env.rewards["white_1"]), (1.0, -1.0))
        self.assertTrue(all(env.terminations.values()))

    def test_an_illegal_action_loses(self):
        env = gauntlet.gomoku.env(size=9)
        env.reset(seed=1)
        env.step(40)
        env.step(40)
        self.assertEqual((env.rewards["black_0"], env.rewards["white_1"]), (1.0, -1.0))

    def test_openings_depend_on_the_seed(self):
        env = gauntlet.gomoku.env(openings="generated")

        def opening(seed=None):
            env.reset(seed=seed)
            return env.observe(env.agent_selection)["observation"].tobytes()

        first, second = opening(1), opening()
        self.assertNotEqual(first, second)
        self.assertEqual([opening(1), opening()], [first, second])


if __name__ == "__main__":
    unittest.main()
