#!/usr/bin/env python3
"""Steps per CPU second of 2048 environments, on one core.

    taskset -c 0 python benches/environments.py [PYTHON …]

Needs `gauntlet-bench[gymnasium]`; other packages are measured if they are installed. Each PYTHON is
an interpreter of a virtual environment, for packages that cannot be installed together. Each figure
is the median of five rounds, in which the environments alternate, with the smallest and largest.

- Many games: ours is measured through `VectorEnv.step`, with all arrays that a learner gets. pgx
  and jumanji step and choose random legal actions inside one compiled loop, their fastest way.
- One game: each package is stepped as in examples/environments/packages.py, with random actions.
"""

import argparse
import json
import pathlib
import random
import statistics
import subprocess
import sys
import time

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "examples/environments"))

# An illegal action ends a game of pgx, and is an error of rl2048player.
ONLY_LEGAL = {"pgx", "rl2048player"}


def ours(num_envs, choose):
    import gauntlet

    envs = gauntlet.make_vec("2048", num_envs=num_envs, seed=1)
    _, info = envs.reset()
    steps = max(1, 4_000_000 // num_envs)

    def run():
        nonlocal info
        for _ in range(steps):
            info = envs.step(choose(info))[4]
        return steps * num_envs

    return run


# A legal action for each set of legal actions, the lowest one.
TABLE = np.array([next((i for i in range(4) if bits >> i & 1), 0) for bits in range(16)], np.int64)


def by_table(info):
    return TABLE[info["action_bits"]]


def by_argmax(info):
    return info["action_mask"].argmax(axis=1)


def compiled(num_envs, begin, step, mask_of):
    """Returns a function that steps and chooses random legal actions inside one compiled loop."""
    import jax
    import jax.numpy as jnp

    steps = max(1, 400_000 // num_envs)

    def one(state, key):
        choose_key, step_key = jax.random.split(key)
        logits = jnp.where(mask_of(state), 0.0, -jnp.inf)
        action = jax.random.categorical(choose_key, logits, axis=1)
        return step(state, action, step_key), None

    @jax.jit
    def roll(state, key):
        return jax.lax.scan(one, state, jax.random.split(key, steps))[0]

    state = jax.jit(jax.vmap(begin))(jax.random.split(jax.random.key(1), num_envs))
    key = jax.random.key(2)
    state = jax.block_until_ready(roll(state, key))

    def run():
        nonlocal state, key
        key, now = jax.random.split(key)
        state = jax.block_until_ready(roll(state, now))
        return steps * num_envs

    return run


def with_pgx(num_envs):
    import jax
    import pgx

    env = pgx.make("2048")
    step_all = jax.vmap(pgx.experimental.auto_reset(env.step, env.init))

    def step(state, action, key):
        return step_all(state, action, jax.random.split(key, num_envs))

    return compiled(num_envs, env.init, step, lambda state: state.legal_action_mask)


def with_jumanji(num_envs):
    import jax
    import jumanji
    from jumanji.wrappers import AutoResetWrapper

    env = AutoResetWrapper(jumanji.make("Game2048-v1"))
    step_all = jax.vmap(env.step)

    def begin(key):
        state, timestep = env.reset(key)
        return state, timestep.observation.action_mask

    def step(carry, action, _):
        state, timestep = step_all(carry[0], action)
        return state, timestep.observation.action_mask

    return compiled(num_envs, begin, step, lambda carry: carry[1])


def one_game(name):
    """Returns a function that plays random actions for 0.3 CPU seconds."""
    import gauntlet
    import packages

    if name == "gauntlet":
        environment, options = gauntlet.make("2048"), {}
    else:
        packages.version(name)  # Two packages have modules of the same name.
        factory, options = packages.PACKAGES[name]()
        environment = factory()
    environment.reset()
    draw = random.Random(1)

    def action():
        if name not in ONLY_LEGAL:
            return draw.randrange(4)
        mask = options["mask"](environment)
        return draw.choice([action for action in range(4) if mask[action]])

    def run():
        steps, end = 0, time.process_time() + 0.3
        while time.process_time() < end:
            for _ in range(20):
                if environment.step(action())[2]:
                    environment.reset()
            steps += 20
        return steps

    run()
    return run


def all_cases():
    import packages

    cases = {
        "gauntlet, 4,096 games, actions by table": lambda: ours(4096, by_table),
        "gauntlet, 4,096 games, argmax": lambda: ours(4096, by_argmax),
        "gauntlet, 64 games, actions by table": lambda: ours(64, by_table),
        "gauntlet, 64 games, argmax": lambda: ours(64, by_argmax),
        "pgx, 4,096 games": lambda: with_pgx(4096),
        "jumanji, 4,096 games": lambda: with_jumanji(4096),
    }
    for name in ["gauntlet", *packages.PACKAGES]:
        if "/" not in name:
            cases[f"{name}, 1 game"] = lambda name=name: one_game(name)
    return cases


def serve():
    """Prepares all cases that are installed, prints their names, and measures those it is asked."""
    answers, sys.stdout = sys.stdout, sys.stderr
    runs = {}
    for name, begin in all_cases().items():
        try:
            runs[name] = begin()
        except ImportError as error:
            print(f"skipped: {name}: {error}")
    print(json.dumps(list(runs)), file=answers, flush=True)
    for line in sys.stdin:
        start = time.process_time()
        steps = runs[json.loads(line)]()
        print(steps / (time.process_time() - start), file=answers, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pythons", nargs="*", default=[sys.executable])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        return serve()
    workers, rates = {}, {}
    for python in arguments.pythons:
        worker = subprocess.Popen(
            [python, __file__, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for name in json.loads(worker.stdout.readline()):
            workers.setdefault(name, worker)
    for _ in range(arguments.rounds):
        for name, worker in workers.items():
            print(json.dumps(name), file=worker.stdin, flush=True)
            rates.setdefault(name, []).append(float(worker.stdout.readline()) / 1e6)
    for worker in workers.values():
        worker.stdin.close()
    print("| environment | million steps per CPU second |\n|---|---|")
    for name, found in rates.items():
        found = [f"{rate:.3g}" for rate in (statistics.median(found), min(found), max(found))]
        print("| {} | {} [{}, {}] |".format(name, *found))


main()
