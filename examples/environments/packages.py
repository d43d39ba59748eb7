"""Checks the 2048 environments of Python packages: `python packages.py pgx`.

With `--row` it prints a row of the first table in docs/ENVIRONMENTS.md. A word after `/` names
settings that differ from the package's default. These packages cannot be installed together:
gym-2048 and gym-2048-extended, whose modules have the same name, and ash2048 and LightZero, which
need NumPy 1.

Each function returns a factory and the options of `gauntlet.check_env`.
"""

import collections
import importlib.metadata
import importlib.util
import pathlib
import random
import sys
import types

import gauntlet


def provide(name, distribution):
    """Provides a module without its `__init__`, which fails in this distribution."""
    spec = importlib.util.find_spec(distribution)
    if spec is None:
        raise ModuleNotFoundError(f"No module named {distribution!r}")
    module = types.ModuleType(name)
    module.__path__ = spec.submodule_search_locations
    sys.modules[name] = module


def pgx():
    import jax
    import pgx

    game = pgx.make("2048")
    start, move = jax.jit(game.init), jax.jit(game.step)

    class Environment:
        def reset(self, seed=None):
            self.key = jax.random.PRNGKey(random.getrandbits(31) if seed is None else seed)
            self.state = start(self.key)
            return self.state.observation

        def step(self, action):
            self.key, key = jax.random.split(self.key)
            self.state = move(self.state, action, key)
            state = self.state
            return state.observation, state.rewards[0], state.terminated, state.truncated, {}

    def mask(environment):
        return environment.state.legal_action_mask

    return Environment, {"mask": mask}


def jumanji():
    import jax
    from jumanji.environments import Game2048

    game = Game2048()
    start, move = jax.jit(game.reset), jax.jit(game.step)

    class Environment:
        def reset(self, seed=None):
            key = jax.random.PRNGKey(random.getrandbits(31) if seed is None else seed)
            self.state, first = start(key)
            return first.observation

        def step(self, action):
            self.state, step = move(self.state, action)
            return step.observation, step.reward, step.last(), False, {}

    def set_board(environment, ranks):
        board = jax.numpy.asarray(ranks, environment.state.board.dtype)
        mask = game._get_action_mask(board)
        environment.state = environment.state.replace(board=board, action_mask=mask)

    return Environment, {"set_board": set_board}


def gym_2048():
    from gym_2048.env import Base2048Env

    class Environment(Base2048Env):
        def _sample_tile_locations(self, board, count=1):
            # NumPy 1.23 and later index by a tuple only.
            return tuple(super()._sample_tile_locations(board, count))

    def set_board(environment, values):
        environment.board = values

    return Environment, {"set_board": set_board}


def gym_2048_extended():
    from gym_2048.env import Base2048Env

    def set_board(environment, values):
        environment.set_board(values)

    return Base2048Env, {"set_board": set_board}


def gymnasium_2048(**settings):
    from gymnasium_2048.envs import TwentyFortyEightEnv

    def set_board(environment, planes):
        environment.board = planes.argmax(axis=-1).astype(environment.board.dtype)

    return lambda: TwentyFortyEightEnv(**settings), {"set_board": set_board}


def textarena(**settings):
    from textarena.envs.Game2048.env import Game2048Env

    class Environment:
        """The moves are words, and the board is part of the state. Its reward is not the points."""

        words = ["[Up]", "[Down]", "[Left]", "[Right]"]

        def reset(self, seed=None):
            self.game = Game2048Env(**settings)
            self.game.reset(num_players=1, seed=seed)
            self.score = 0
            return self.board()

        def board(self):
            return [list(row) for row in self.game.state.game_state["board"]]

        def step(self, action):
            done, info = self.game.step(self.words[action])
            before, self.score = self.score, self.game.state.game_state["score"]
            return self.board(), self.score - before, done, False, info

    def set_board(environment, values):
        environment.reset()
        environment.game.state.game_state["board"] = values.tolist()

    return Environment, {"set_board": set_board}


def open_spiel(**settings):
    import pyspiel

    game = pyspiel.load_game("2048", settings)

    class Environment:
        """Chance is a player of OpenSpiel, which this class plays."""

        def __init__(self):
            self.random = random.Random()

        def reset(self, seed=None):
            if seed is not None:
                self.random.seed(seed)
            self.state = game.new_initial_state()
            return self.board()

        def board(self):
            while self.state.is_chance_node():
                outcomes, weights = zip(*self.state.chance_outcomes())
                self.state.apply_action(self.random.choices(outcomes, weights)[0])
            return self.state.observation_tensor(0)

        def step(self, action):
            self.state.apply_action(action)
            reward = self.state.rewards()[0]
            board = self.board()
            return board, reward, self.state.is_terminal(), False, {}

    return Environment, {"mask": lambda environment: environment.state.legal_actions_mask(0)}


def provide_ding():
    """Provides the names of DI-engine that the environment imports. The rest needs PyTorch."""
    import numpy

    timestep = collections.namedtuple("BaseEnvTimestep", "obs reward done info")
    registry = types.SimpleNamespace(register=lambda name: lambda environment: environment)
    modules = {
        "ding": {"__path__": []},
        "ding.envs": {"BaseEnvTimestep": timestep},
        "ding.torch_utils": {"to_ndarray": numpy.asarray},
        "ding.utils": {"ENV_REGISTRY": registry},
    }
    for name, values in modules.items():
        sys.modules[name] = types.ModuleType(name)
        vars(sys.modules[name]).update(values)


def lightzero(**settings):
    try:
        import ding  # noqa: F401
    except ModuleNotFoundError:
        provide_ding()
    from zoo.game_2048.envs.game_2048_env import Game2048Env

    configuration = Game2048Env.default_config()
    configuration.update(settings)

    class Environment(Game2048Env):
        def __init__(self):
            super().__init__(configuration)

    def set_board(environment, planes):
        ranks = planes.argmax(axis=0)
        return environment.reset(init_board=2**ranks * (ranks > 0))

    return Environment, {"set_board": set_board}


def ash2048():
    # `ash2048/__init__.py` imports `gym2048`, which no file of the wheel provides.
    provide("gym2048", "ash2048")
    from gym2048.env import Game2048

    def set_board(environment, values):
        environment.board = values.astype(float)

    # The documented reward is 1 for reaching 2048.
    return Game2048, {"set_board": set_board, "reward": False}


def twenty48():
    # Another module of this name is in this file's folder.
    here = pathlib.Path(__file__).resolve().parent
    sys.path[:] = [folder for folder in sys.path if pathlib.Path(folder).resolve() != here]
    from twenty48.Board import Board

    class Environment:
        """The loop of `Game.play_game` without its display."""

        def reset(self):
            self.game = Board()
            return self.game.get_tiles()

        def seed(self, seed):
            random.seed(seed)

        def step(self, action):
            move, before = Board.Move(action), self.game.get_score()
            if self.game.check_legal_move(move):
                self.game.move(move).set_random_square()
            reward = int(self.game.get_score() - before)
            return self.game.get_tiles(), reward, not self.game.get_legal_moves(), False, {}

    def mask(environment):
        return [environment.game.check_legal_move(Board.Move(action)) for action in range(4)]

    def set_board(environment, values):
        environment.game = Board().set_tile_value(range(16), values.ravel())

    return Environment, {"mask": mask, "set_board": set_board}


def py2048_engine():
    from Py2048_Engine.Exceptions import GameLostException, GameWonException
    from Py2048_Engine.Game import Game

    class Environment:
        """An exception of the next move ends the game: this class asks after each move."""

        def reset(self):
            self.game = Game()
            return self.board()

        def seed(self, seed):
            random.seed(seed)

        def board(self):
            return [[tile or 0 for tile in row] for row in self.game.getBoard()]

        def step(self, action):
            getattr(self.game, ["left", "right", "up", "down"][action])()
            try:
                self.game._canContinue()
            except (GameLostException, GameWonException):
                return self.board(), None, True, False, {}
            return self.board(), None, False, False, {}

    def set_board(environment, values):
        environment.game = Game([[tile or None for tile in row] for row in values.tolist()])

    return Environment, {"set_board": set_board, "reward": False}


def libtwenty():
    from libtwenty import Board

    class Environment:
        def reset(self):
            self.game = Board()
            return self.game.board

        def step(self, action):
            self.game.move(action)
            return self.game.board, None, self.game.possible_moves["over"], False, {}

    def mask(environment):
        return [environment.game.possible_moves[action] for action in range(4)]

    def set_board(environment, values):
        environment.game.board = values
        environment.game.update_possible_moves()

    # The score is the sum of the tiles.
    return Environment, {"mask": mask, "set_board": set_board, "reward": False}


def rl2048player():
    import numpy

    # NumPy 1.24 and later lack these names, and `agents.py` has an IndentationError.
    numpy.int, numpy.bool = int, bool
    provide("rl2048player", "rl2048player")
    from rl2048player.game import Game

    class Environment:
        """The loop of the package's agents, which choose among `available_actions`."""

        def reset(self):
            self.game = Game()
            return self.game.state().copy()

        def seed(self, seed):
            numpy.random.seed(seed)

        def step(self, action):
            if not self.game.is_action_available(action):
                raise ValueError("illegal action")
            reward = self.game.do_action(action)
            self.game.add_random_tile()
            return self.game.state().copy(), reward, self.game.game_over(), False, {}

    def mask(environment):
        return [environment.game.is_action_available(action) for action in range(4)]

    def set_board(environment, ranks):
        environment.game = Game(ranks)

    return Environment, {"mask": mask, "set_board": set_board}


def c2048():
    from c2048 import C2048, Move

    moves = [Move.Up, Move.Right, Move.Down, Move.Left]

    class Environment:
        """The loop of the package's README, which may go on after 2048. Row 3 is printed first."""

        def reset(self):
            self.game = C2048()
            return self.board()

        def board(self):
            ranks = [tile.exp for tile in self.game.grid]
            return [ranks[row : row + 4] for row in (12, 8, 4, 0)]

        def step(self, action):
            self.game.move(moves[action])
            if self.game.has_moved:
                self.game.spawn_tile(0.9)
                self.game.reset()
            return self.board(), None, self.game.is_lose(), False, {}

    def set_board(environment, ranks):
        for cell, rank in enumerate(ranks[::-1].ravel().tolist()):
            environment.game.set_tile(cell, rank)

    # The score is the sum of the tiles.
    return Environment, {"set_board": set_board, "reward": False}


PACKAGES = {
    "ash2048": ash2048,
    "c2048": c2048,
    "gym-2048": gym_2048,
    "gym-2048-extended": gym_2048_extended,
    "gymnasium-2048": gymnasium_2048,
    "gymnasium-2048/18": lambda: gymnasium_2048(max_pow=18),
    "jumanji": jumanji,
    "libtwenty": libtwenty,
    "LightZero": lightzero,
    "LightZero/legal": lambda: lightzero(ignore_legal_actions=False),
    "open_spiel": open_spiel,
    "open_spiel/endless": lambda: open_spiel(max_tile=2**20),
    "pgx": pgx,
    "Py2048-Engine": py2048_engine,
    "rl2048player": rl2048player,
    "textarena": textarena,
    "textarena/endless": lambda: textarena(target_tile=2**20),
    "twenty48": twenty48,
}


def version(name):
    return importlib.metadata.version(name.split("/")[0])


def row(package, report):
    """Returns the rules that failed, with counts, and the rules that were not tested."""

    def rules(verdict):
        return [rule for rule in report.rules if rule.verdict == verdict]

    def count(rule):
        reason = rule.reason.split(" Wrong in ")[0]
        wrong = f"{rule.wrong:,} of {rule.checked:,}" if rule.wrong else f"{rule.checked:,} checked"
        return f"{rule.rule}: {wrong}. {reason}"

    failed = "<br>".join(map(count, rules("failed")))
    untested = ", ".join(rule.rule for rule in rules("not tested") + rules("cannot tell"))
    actions = ", ".join(map(str, report.actions or []))
    encoding = (report.cells or "unknown").split(",")[0]
    return f"| {package} | {actions} | {encoding} | {failed or 'none'} | {untested or 'none'} |"


def main():
    words = [word for word in sys.argv[1:] if word != "--row"]
    if len(words) != 1 or words[0] not in PACKAGES:
        sys.exit(f"usage: python packages.py [--row] {'|'.join(PACKAGES)}")
    name = words[0]
    factory, options = PACKAGES[name]()
    package = f"{name} {version(name)}"
    report = gauntlet.check_env(factory, **options)
    print(row(package, report) if "--row" in sys.argv else f"{package}\n\n{report}")
    sys.exit(0 if report.passed else 1)


if __name__ == "__main__":
    main()
