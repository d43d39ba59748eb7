"""Checks the 2048 environments of Python packages: `python packages.py pgx`.

With `--row` it prints a row of the table in extras/check-env/README.md. Packages: pgx, jumanji, gym-2048,
gymnasium-2048, gym-2048-extended, textarena. The modules of gym-2048 and gym-2048-extended have the
same name, so install only one of them.

Each function returns a factory and the options of `gauntlet.check_env`.
"""

import importlib.metadata
import random
import sys

import gauntlet


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


def gymnasium_2048():
    from gymnasium_2048.envs import TwentyFortyEightEnv

    def set_board(environment, planes):
        environment.board = planes.argmax(axis=-1).astype(environment.board.dtype)

    return TwentyFortyEightEnv, {"set_board": set_board}


def textarena():
    from textarena.envs.Game2048.env import Game2048Env

    class Environment:
        """The moves are words, and the board is part of the state. Its reward is not the points."""

        words = ["[Up]", "[Down]", "[Left]", "[Right]"]

        def reset(self, seed=None):
            self.game = Game2048Env()
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


PACKAGES = {
    "pgx": pgx,
    "jumanji": jumanji,
    "gym-2048": gym_2048,
    "gymnasium-2048": gymnasium_2048,
    "gym-2048-extended": gym_2048_extended,
    "textarena": textarena,
}


def row(package, report):
    """Returns the rules that failed, with counts, and the rules that were not tested."""

    def rules(verdict):
        return [rule for rule in report.rules if rule.verdict == verdict]

    def count(rule):
        reason = rule.reason.split(" Wrong in ")[0]
        return f"{rule.rule}: {rule.wrong:,} of {rule.checked:,}. {reason}"

    failed = "<br>".join(map(count, rules("failed")))
    untested = ", ".join(rule.rule for rule in rules("not tested"))
    actions = ", ".join(report.actions)
    return f"| {package} | {actions} | {failed or 'none'} | {untested or 'none'} |"


def main():
    words = [word for word in sys.argv[1:] if word != "--row"]
    if len(words) != 1 or words[0] not in PACKAGES:
        sys.exit(f"usage: python packages.py [--row] {'|'.join(PACKAGES)}")
    name = words[0]
    factory, options = PACKAGES[name]()
    package = f"{name} {importlib.metadata.version(name)}"
    report = gauntlet.check_env(factory, **options)
    print(row(package, report) if "--row" in sys.argv else f"{package}\n\n{report}")
    sys.exit(0 if report.passed else 1)


if __name__ == "__main__":
    main()
