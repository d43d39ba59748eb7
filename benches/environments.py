#!/usr/bin/env python3
"""Steps per CPU second of 2048 environments, on one core: ours, pgx and jumanji.

    taskset -c 0 python benches/environments.py

Needs `gauntlet-bench[gymnasium]`; pgx and jumanji are measured if they are installed. Each figure
is the median of five rounds, in which the environments alternate, with the smallest and largest.
Ours is measured through `VectorEnv.step`, with all arrays that a learner gets. The others step and
choose random legal actions inside one compiled loop, which is their fastest way.
"""

import argparse
import statistics
import time

import numpy as np


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


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    cases = {
        "gauntlet, 4,096 games, actions by table": lambda: ours(4096, by_table),
        "gauntlet, 4,096 games, argmax": lambda: ours(4096, by_argmax),
        "gauntlet, 64 games, actions by table": lambda: ours(64, by_table),
        "gauntlet, 64 games, argmax": lambda: ours(64, by_argmax),
        "pgx, 4,096 games": lambda: with_pgx(4096),
        "jumanji, 4,096 games": lambda: with_jumanji(4096),
    }
    runs, rates = {}, {}
    for name, begin in cases.items():
        try:
            runs[name], rates[name] = begin(), []
        except ImportError as error:
            print(f"skipped: {name}: {error}")
    for _ in range(rounds):
        for name, run in runs.items():
            start = time.process_time()
            steps = run()
            rates[name].append(steps / (time.process_time() - start) / 1e6)
    print("| environment | million steps per CPU second |\n|---|---|")
    for name, found in rates.items():
        low, middle, high = min(found), statistics.median(found), max(found)
        print(f"| {name} | {middle:.2f} [{low:.2f}, {high:.2f}] |")


main()
