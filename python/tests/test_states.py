"""States, copies, boards and pictures of environments."""

import copy
import os
import pickle
import unittest
from importlib.util import find_spec
from unittest import mock

import gymnasium
import numpy as np

import gauntlet
from gauntlet import rendering

COPIES = [copy.copy, copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))]


def play(env, steps):
    """Plays the last legal action, and returns boards, scores and seeds."""
    seen = []
    for _ in range(steps):
        actions = env.legal_actions()
        if not actions:
            env.reset()
            continue
        board, *_, info = env.step(actions[-1])
        seen.append((board.tolist(), info["score"], info["seed"]))
    return seen


def play_many(envs, steps):
    """Plays the last legal actions, and returns boards, scores and seeds."""
    seen = []
    for _ in range(steps):
        masks = envs.action_masks()
        boards, *_ = envs.step(3 - masks[:, ::-1].argmax(axis=1))
        seen.append((boards.tolist(), envs.scores().tolist(), envs.seeds().tolist()))
    return seen


class Copies(unittest.TestCase):
    def test_a_copy_continues_as_the_original(self):
        rules = {"win": 64, "win_by": "gain"}
        for make_copy in COPIES:
            for moves in (0, 5, 1000):
                env = gauntlet.make(rules=rules, seed=4)
                env.reset()
                play(env, moves)
                twin = make_copy(env)
                self.assertEqual(twin.spec.kwargs["rules"], rules)
                before = env.get_state().tolist()
                expected = play(twin, 400)
                self.assertEqual(env.get_state().tolist(), before)
                self.assertEqual(play(env, 400), expected)
                self.assertGreater(len({seed for _, _, seed in expected}), 1)

    def test_a_copy_of_many_games_continues_as_the_original(self):
        for make_copy in COPIES:
            for mode in ("NextStep", "SameStep"):
                envs = gauntlet.make_vec(num_envs=5, seed=2, autoreset_mode=mode)
                envs.reset(seed=[1, None, 3, 4, 5])
                play_many(envs, 300)
                twin = make_copy(envs)
                self.assertEqual(play_many(twin, 300), play_many(envs, 300))

    def test_the_first_reset_of_a_copy_shows_the_first_episodes(self):
        envs = gauntlet.make_vec(num_envs=3, seed=9)
        twin = copy.copy(envs)
        self.assertEqual(twin.reset()[0].tolist(), envs.reset()[0].tolist())

    @unittest.skipUnless(find_spec("pettingzoo"), "pettingzoo is not installed")
    def test_a_copy_of_gomoku_continues_as_the_original(self):
        def move(env):
            observation, *_ = env.last()
            cells = np.flatnonzero(observation["action_mask"])
            env.step(cells[7 * len(cells) % 11] if len(cells) else None)
            return observation["observation"].tolist(), dict(env.rewards)

        for make in (gauntlet.gomoku.env, gauntlet.gomoku.raw_env):
            # copy.copy of a wrapper copies the wrapper alone.
            for make_copy in COPIES if make is gauntlet.gomoku.raw_env else COPIES[1:]:
                env = make_copy(make(size=9, openings="generated"))
                env.reset(seed=1)
                env.reset()
                for _ in range(20):
                    move(env)
                twin = make_copy(env)
                before = env.observe("black_0")["observation"].tolist()
                expected = []
                while twin.agents:
                    expected.append(move(twin))
                self.assertEqual(env.observe("black_0")["observation"].tolist(), before)
                seen = []
                while env.agents:
                    seen.append(move(env))
                self.assertEqual(seen, expected)
                self.assertGreater(len(seen), 5)

    def test_wrapped_environments_are_copied(self):
        env = gymnasium.make("gauntlet/2048-v0")
        env.reset(seed=3)
        twin = copy.deepcopy(env)
        self.assertEqual(twin.step(1)[0].tolist(), env.step(1)[0].tolist())


class States(unittest.TestCase):
    def test_a_state_restores_the_game(self):
        env, other = gauntlet.make(illegal="end"), gauntlet.make(illegal="end")
        board, info = env.reset(seed=3)
        start = env.get_state()
        first = play(env, 30)
        restored, known = other.set_state(start)
        self.assertEqual((restored.tolist(), known["seed"]), (board.tolist(), 3))
        self.assertEqual(known["action_mask"].tolist(), info["action_mask"].tolist())
        self.assertEqual(play(other, 30), first)
        start[:] = 0  # The array belongs to the caller.
        env.set_board([[1, 2, 3, 4]] + 3 * [4 * [0]])
        self.assertTrue(env.step(0)[2])
        other.set_state(env.get_state())
        self.assertEqual(other.legal_actions(), [])
        with self.assertRaisesRegex(gauntlet.Error, "is over: reset it first"):
            other.step(1)

    def test_a_seed_draws_other_tiles(self):
        env = gauntlet.make()
        env.reset(seed=3)
        state = env.get_state()

        def continuation(seed):
            env.set_state(state, seed=seed)
            return str(play(env, 10))

        plain = continuation(None)
        self.assertEqual(continuation(None), plain)
        self.assertEqual(continuation(8), continuation(8))
        self.assertEqual(len({plain, *map(continuation, range(20))}), 21)

    def test_states_of_many_games_are_rows(self):
        env = gauntlet.make()
        env.reset(seed=3)
        play(env, 10)
        envs = gauntlet.make_vec(num_envs=64)
        boards, info = envs.set_state(np.repeat(env.get_state()[None], 64, axis=0))
        self.assertEqual(len({board.tobytes() for board in boards}), 1)
        self.assertEqual(envs.legal_actions(), 64 * [env.legal_actions()])
        actions = np.full(64, env.legal_actions()[0])
        self.assertEqual(len({board.tobytes() for board in envs.step(actions)[0]}), 1)
        envs.set_state(envs.get_state()[::-1], seed=5)
        self.assertGreater(len({str(board) for board in envs.step(envs.action_masks().argmax(1))[0]}), 8)

    def test_states_of_other_rules_are_refused(self):
        start = {"start": "512 256 . .  . . . .  . . . .  . . . ."}
        for rules in ({"win": 64}, {"four": 0.5}, {"until": "win"}, {"idle_moves": "spawn"}, start):
            env, plain = gauntlet.make(rules=rules), gauntlet.make(rules={"win": 2048})
            gauntlet.make().set_state(plain.get_state())
            for one, other in ((env, plain), (plain, env)):
                with self.assertRaisesRegex(gauntlet.InvalidValueError, "with the same rules"):
                    one.set_state(other.get_state())

    def test_later_episodes_follow_the_seed_of_reset_or_the_restoring_environment(self):
        for seed in (None, 3):
            env, other = gauntlet.make(seed=1), gauntlet.make(seed=2)
            env.reset(seed=seed)
            other.set_state(env.get_state())
            next_board = other.reset()[0].tolist()
            if seed is None:
                env = gauntlet.make(seed=2)
                env.reset()
            self.assertEqual(next_board, env.reset()[0].tolist())

    def test_other_arrays_are_refused(self):
        env, envs = gauntlet.make(), gauntlet.make_vec(num_envs=3)
        state, states = env.get_state(), envs.get_state()
        for wrong in (state[1:], states, state.astype(int), 0 * state, 255 + 0 * state, None):
            with self.assertRaisesRegex(gauntlet.InvalidValueError, "state: expected what get_state"):
                env.set_state(wrong)
        for wrong in (state, states[:2], np.stack([state, 0 * state, state])):
            with self.assertRaisesRegex(gauntlet.InvalidValueError, "state: expected what get_state"):
                envs.set_state(wrong)
        self.assertEqual(envs.get_state().tolist(), states.tolist())


class Boards(unittest.TestCase):
    def test_the_encoding_is_a_parameter(self):
        ranks = np.array([[1, 2, 3, 4], [0, 0, 5, 5], [17, 0, 0, 0], [0, 1, 1, 0]])
        values = np.where(ranks > 0, 2**ranks, 0)
        env, envs = gauntlet.make(), gauntlet.make_vec(num_envs=2)
        for board, cells in ((ranks, "ranks"), (values, "values"), (values.astype(float), "values")):
            seen, info = env.set_board(board, cells=cells)
            self.assertEqual((seen.tolist(), info["score"]), (ranks.tolist(), 0))
            both, _ = envs.set_board([board, board.T], cells=cells)
            self.assertEqual(both.tolist(), [ranks.tolist(), ranks.T.tolist()])
        self.assertEqual(env.set_board(ranks.ravel())[0].tolist(), ranks.tolist())
        self.assertEqual(env.legal_actions(), [0, 1, 2, 3])
        self.assertEqual(env.step(3)[1], 64 + 4)

    def test_numbers_of_another_encoding_are_refused(self):
        env = gauntlet.make()
        for wrong, cells in ((18, "ranks"), (-1, "ranks"), (2.5, "ranks"), (3, "values")):
            message = f"board: cells='{cells}' are 0, .* not {wrong}"
            with self.assertRaisesRegex(gauntlet.InvalidValueError, message):
                env.set_board([wrong] + 15 * [0], cells=cells)
        for wrong in (float("nan"), float("inf"), 2**18):
            with self.assertRaisesRegex(gauntlet.InvalidValueError, f"not {wrong}"):
                env.set_board([wrong] + 15 * [0], cells="values")
        for wrong in (15 * [0], [[0, 0, 0, 0]], 16 * ["2"], 16 * [True]):
            with self.assertRaisesRegex(gauntlet.InvalidValueError, r"board: expected numbers of shape"):
                env.set_board(wrong)
        with self.assertRaisesRegex(gauntlet.InvalidValueError, "cells: expected one of 'ranks'"):
            env.set_board(16 * [0], cells="planes")


class Corners(unittest.TestCase):
    def test_masks_have_the_contract_of_sb3_contrib(self):
        env = gymnasium.make("gauntlet/2048-v0")
        _, info = env.reset(seed=1)
        for _ in range(50):
            masks = env.get_wrapper_attr("action_masks")()
            self.assertEqual((masks.dtype, masks.shape), (np.bool_, (4,)))
            np.testing.assert_array_equal(masks, info["action_mask"])
            *_, info = env.step(int(masks.argmax()))
        envs = gauntlet.make_vec(num_envs=3, seed=1)
        _, info = envs.reset()
        np.testing.assert_array_equal(envs.action_masks(), info["action_mask"])

    def test_gymnasium_makes_the_same_environment_from_a_specification(self):
        env = gauntlet.make(rules={"win": 64}, illegal="end", seed=5)
        again = gymnasium.make(env.spec)
        self.assertEqual(again.reset()[0].tolist(), env.reset()[0].tolist())
        envs = gauntlet.make_vec(num_envs=3, seed=5, autoreset_mode="SameStep")
        specification = gymnasium.envs.registration.EnvSpec.from_json(envs.spec.to_json())
        for spec in (envs.spec, specification, gymnasium.make_vec(envs.spec).spec):
            again = gymnasium.make_vec(spec)
            self.assertEqual(again.metadata["autoreset_mode"], envs.metadata["autoreset_mode"])
            self.assertEqual(again.get_state().tolist(), envs.get_state().tolist())

    def test_seeds_can_be_read(self):
        env, envs = gauntlet.make(seed=7), gauntlet.make_vec(num_envs=2, seed=8)
        self.assertEqual((env.np_random_seed, envs.np_random_seed), (7, (8, 8)))
        env.reset(seed=5)
        envs.reset(seed=[3, None])
        self.assertEqual((env.np_random_seed, envs.np_random_seed[0]), (5, 3))
        first, second = (env.reset(seed=seed)[0].tolist() for seed in (5, None))
        self.assertEqual(env.np_random_seed, 5)
        self.assertEqual([env.reset(seed=5)[0].tolist(), env.reset()[0].tolist()], [first, second])
        boards, seeds = envs.reset(seed=[None, None])[0], envs.np_random_seed
        self.assertEqual(envs.reset(seed=seeds)[0].tolist(), boards.tolist())
        self.assertNotEqual(gauntlet.make().np_random_seed, gauntlet.make().np_random_seed)

    def test_the_seed_that_was_drawn_repeats_an_episode(self):
        env, envs = gauntlet.make(), gauntlet.make_vec(num_envs=3)
        self.assertEqual(len(set(envs.np_random_seed)), 3)
        for one in (env, envs):
            board, _ = one.reset()
            one.reset()
            self.assertEqual(one.reset(seed=one.np_random_seed)[0].tolist(), board.tolist())

    def test_rules_may_have_numbers_of_numpy(self):
        env = gauntlet.make(rules={"win": np.int64(8), "until": "win", "four": np.float32(0.5)})
        env.set_board([2, 2] + 14 * [0])
        self.assertTrue(env.step(3)[2])


class Pictures(unittest.TestCase):
    def test_a_picture_shows_the_tiles(self):
        env = gauntlet.make(render_mode="rgb_array")
        board, _ = env.set_board([0, 1, 1, 2] + 12 * [0])
        picture = env.render()
        self.assertEqual((picture.dtype, picture.shape), (np.uint8, (424, 424, 3)))
        cells = [picture[8:104, 8 + 104 * i : 104 + 104 * i] for i in range(4)]
        # An empty cell has one colour, a tile that of its rank and that of its digits.
        self.assertEqual([len(np.unique(cell.reshape(-1, 3), axis=0)) for cell in cells], [1, 2, 2, 2])
        np.testing.assert_array_equal(cells[1], cells[2])
        self.assertTrue((cells[1][0, 0] != cells[3][0, 0]).any())
        drawn = (cells[1] != cells[1][0, 0]).any(axis=2)
        rows, columns = np.nonzero(drawn)
        two = drawn[rows.min() : rows.max() + 1 : 8, columns.min() : columns.max() + 1 : 8]
        self.assertEqual(two.astype(int).tolist(), [[1, 1, 1], [0, 0, 1], [1, 1, 1], [1, 0, 0], [1, 1, 1]])

    def test_each_tile_fits_its_cell_and_differs(self):
        pictures = [rendering.tiles(np.full((4, 4), rank)) for rank in range(18)]
        self.assertEqual(len({picture.tobytes() for picture in pictures}), 18)
        for picture in pictures:
            cell = picture[8:104, 8:104]
            self.assertTrue((cell[:, :4] == cell[0, 0]).all() and (cell[:, -4:] == cell[0, 0]).all())

    def test_many_boards_are_many_pictures(self):
        envs = gauntlet.make_vec(num_envs=3, seed=1, render_mode="rgb_array")
        frames = envs.render()
        boards, _ = envs.reset()
        for frame, board in zip(frames, boards, strict=True):
            np.testing.assert_array_equal(frame, rendering.tiles(board))
        texts = gauntlet.make_vec(num_envs=2, render_mode="ansi").render()
        self.assertEqual([len(text.split()) for text in texts], [16, 16])
        self.assertIsNone(gauntlet.make_vec(num_envs=2).render())

    @unittest.skipUnless(find_spec("pettingzoo"), "pettingzoo is not installed")
    def test_stones_are_drawn_on_their_points(self):
        env = gauntlet.gomoku.env(size=9, render_mode="rgb_array")
        env.reset(seed=1)
        env.step(0)
        env.step(10)
        picture = env.render()
        self.assertEqual(picture.shape, (288, 288, 3))
        black, white, empty = (picture[center, center - 3] for center in (16, 48, 80))
        self.assertEqual((black.tolist(), white.tolist()), ([20, 20, 20], [245, 245, 245]))
        self.assertNotIn(empty.tolist(), [[20, 20, 20], [245, 245, 245]])

    @unittest.skipUnless(find_spec("pygame"), "pygame is not installed")
    def test_a_window_shows_the_picture_of_each_step(self):
        with mock.patch.dict(os.environ, SDL_VIDEODRIVER="dummy", PYGAME_HIDE_SUPPORT_PROMPT="1"):
            import pygame

            env = gauntlet.make(render_mode="human")
            self.addCleanup(env.close)
            board, info = env.reset(seed=1)
            for _ in range(3):
                shown = pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)
                np.testing.assert_array_equal(shown, rendering.tiles(board))
                board, *_, info = env.step(int(info["action_mask"].argmax()))
            twin = copy.copy(env)
            twin.close()  # It has no window yet.
            self.assertTrue(pygame.display.get_init())
            env.close()
            self.assertFalse(pygame.display.get_init())

    def test_a_window_needs_pygame(self):
        with mock.patch.dict("sys.modules", pygame=None):
            with self.assertRaisesRegex(gauntlet.MissingPackageError, r"gauntlet-bench\[pygame\]"):
                gauntlet.make(render_mode="human").reset()


if __name__ == "__main__":
    unittest.main()
