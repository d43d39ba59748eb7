"""Compares methods of tuning on the tasks of configs/tuners, as configs/tuners/README.md announces."""

import argparse
import csv
import json
import math
import statistics
import subprocess
import tempfile
import tomllib
from pathlib import Path

from drive import Gauntlet, suggested

ROOT = Path(__file__).resolve().parents[2]
TASKS = ROOT / "configs" / "tuners"
ANNOUNCED = ["far-three", "far-four", "near-ovolve", "near-ply", "whole", "gomoku"]
HELD_OUT = ["hold-out/far-six", "hold-out/powers", "hold-out/gomoku-own"]
SECOND = ["second/slopes", "second/near-nneonneo", "second/tree", "second/gomoku-three"]
DRIVEN = ["random", "optuna-tpe", "optuna-cma-es", "optuna-gp"]
RANKED = ["cma-es", "spsa", "random", "optuna-tpe", "optuna-cma-es", "model"]
# 2,000 games: TRIED games for each of TRIALS candidates, then FINAL games for each of FINALISTS.
TRIALS, TRIED, FINALISTS, FINAL = 40, 40, 5, 80
# First block of the measurement, and number of blocks that each search by `ask` has for itself. No
# block is used twice.
FRESH, SEARCH = 1_000_000, 10_000
COLUMNS = ["task", "method", "seed", "search_games", "fresh_games", "gain", "gain_low", "gain_high", "loss", "error", "settings"]


def sampler(method, start, seed):
    import optuna

    return {
        "random": lambda: optuna.samplers.RandomSampler(seed=seed),
        "optuna-tpe": lambda: optuna.samplers.TPESampler(seed=seed),
        "optuna-cma-es": lambda: optuna.samplers.CmaEsSampler(x0=start, seed=seed),
        "optuna-gp": lambda: optuna.samplers.GPSampler(seed=seed),
    }[method]()


def driven(args, task, method, seed, folder):
    """Returns the settings found by a search outside gauntlet, and the number of games that it used."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    options = ["--results", folder, "--threads", "1"]
    gauntlet = Gauntlet(args.gauntlet, str(TASKS / f"{task}.toml"), *options)
    space = gauntlet.answer(space=True)["space"]
    start = {setting["key"]: setting["start"] for setting in space}
    legs, games, asked_for = legs_of(task), 0, 0

    def own_blocks():
        nonlocal asked_for
        asked_for += 1
        return {"first": seed * SEARCH + asked_for * TRIED}

    def loss(trial):
        nonlocal games
        answer = gauntlet.answer(ask=suggested(trial, space), blocks=TRIED // legs, **own_blocks())
        if "refused" in answer:
            raise optuna.TrialPruned(answer["refused"])
        games += legs * answer["games"]
        return answer["loss"]

    study = optuna.create_study(sampler=sampler(method, start, seed))
    study.enqueue_trial(start)
    study.optimize(loss, n_trials=TRIALS)
    complete = [trial for trial in study.trials if trial.value is not None]
    finalists = sorted(complete, key=lambda trial: trial.value)[:FINALISTS]
    asked = [trial.params for trial in finalists]
    answers = gauntlet.answer(ask=asked, blocks=FINAL // legs, **own_blocks())["answers"]
    games += legs * sum(answer["games"] for answer in answers)
    gauntlet.close()
    best = min(range(len(asked)), key=lambda place: answers[place]["loss"])
    return asked[best], games


def tuned(args, task, method, seed, folder):
    """Returns the settings found by a method of gauntlet, and the number of games that it used.

    The method `model of 3 with 6000 games` means three searches.
    """
    name, _, more = method.partition(" of ")
    searches, _, budget = more.removesuffix(" games").partition(" with ")
    options = ["--seed", str(seed), "--method", name, "--results", folder, "--threads", "1", "--quiet"]
    options += ["--budget", budget] if budget else []
    options += ["--searches", searches] if searches else []
    command = [args.gauntlet, "tune", str(TASKS / f"{task}.toml"), *options]
    # Exit status 6 or 7 means that the validation shows no improvement. It has only two games.
    if subprocess.run(command, stdout=subprocess.DEVNULL).returncode not in (0, 6, 7):
        raise SystemExit(f"failed: {' '.join(command)}")
    (path,) = Path(folder).glob("*/tune/tuned.toml")
    (manifest,) = Path(folder).glob("*/tune/manifest.toml")
    player = tomllib.loads(path.read_text())["player"][0]
    games = tomllib.loads(manifest.read_text())["games"]
    params = task_file(task)["tune"]["params"]
    settings = {}
    for name, row in params.items():
        inner = {name: None} if "min" in row else {f"{name}.{key}": key for key in row}
        settings |= {key: number(player[name] if last is None else player[name][last]) for key, last in inner.items()}
    return settings, games


def number(setting):
    """Returns the tuned number of a setting. For a feature with an exponent, it is the weight."""
    return setting["weight"] if isinstance(setting, dict) else setting


def task_file(task):
    return tomllib.loads((TASKS / f"{task}.toml").read_text())


def legs_of(task):
    """Returns the number of games in a block. In Gomoku, each opening is played twice."""
    return 2 if task_file(task)["game"] == "gomoku" else 1


def measured(args, task, settings):
    """Returns the loss of settings on the fresh seeds of a task."""
    blocks = task_file(task)["games"] // legs_of(task)
    with tempfile.TemporaryDirectory(dir=args.scratch) as folder:
        options = ["--results", folder, "--threads", "1"]
        gauntlet = Gauntlet(args.gauntlet, str(TASKS / f"{task}.toml"), *options)
        answer = gauntlet.answer(ask=settings, blocks=blocks, first=FRESH)
        gauntlet.close()
    return answer["loss"], answer["error"], legs_of(task) * answer["games"]


def row(args, task, method, seed, start):
    if method == "start":
        settings, games = {}, 0
    else:
        with tempfile.TemporaryDirectory(dir=args.scratch) as folder:
            search = driven if method in DRIVEN else tuned
            settings, games = search(args, task, method, seed, folder)
    loss, error, fresh = measured(args, task, settings)
    found = dict(task=task, method=method, seed=seed, search_games=games, fresh_games=fresh, loss=loss, error=error)
    if start:
        gain = float(start["loss"]) - loss
        half = 1.959964 * math.hypot(error, float(start["error"]))
        found |= dict(gain=gain, gain_low=gain - half, gain_high=gain + half)
    return found | dict(settings=json.dumps(settings))


def read(path):
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def play(args):
    """Plays the rows that the table lacks: all methods of a seed before the next seed."""
    args.out.parent.mkdir(parents=True, exist_ok=True)
    rows = {(row["task"], row["method"], row["seed"]): row for row in read(args.out)}
    wanted = [(task, "start", 0) for task in args.tasks]
    wanted += [(task, method, seed) for seed in args.seeds for task in args.tasks for method in args.methods]
    for task, method, seed in wanted:
        if (task, method, str(seed)) in rows:
            continue
        start = rows.get((task, "start", "0"))
        found = {key: "" for key in COLUMNS} | row(args, task, method, seed, start)
        rows[task, method, str(seed)] = found
        is_new = not args.out.exists()
        with args.out.open("a", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            if is_new:
                writer.writeheader()
            writer.writerow(found)


def ranks(values):
    """Returns the rank of each method, 1 for the largest value. Equal values share the mean of their ranks."""
    return {
        method: 1 + sum(other > value for other in values.values()) + (sum(other == value for other in values.values()) - 1) / 2
        for method, value in values.items()
    }


def standing(args):
    """Prints the mean rank of each method, and its mean and worst gain on each task."""
    gains = {}
    for found in read(args.out):
        chosen = found["task"] in args.tasks and found["method"] in args.methods and int(found["seed"]) in args.seeds
        if found["method"] != "start" and chosen:
            gains.setdefault(found["task"], {}).setdefault(found["method"], []).append(float(found["gain"]))
    by_mean = {task: ranks({method: statistics.mean(all) for method, all in of.items()}) for task, of in gains.items()}
    by_worst = {task: ranks({method: min(all) for method, all in of.items()}) for task, of in gains.items()}
    table = []
    for method in args.methods:
        mean_rank = statistics.mean(by_mean[task][method] for task in gains)
        worst_rank = statistics.mean(by_worst[task][method] for task in gains)
        table.append((mean_rank, worst_rank, method))
    table.sort()
    name = {task: task.rpartition("/")[2] for task in gains}
    header = ["method", "mean rank", "rank of the worst", *(name[task] for task in gains)]
    lines = [header]
    for mean_rank, worst_rank, method in table:
        cells = []
        for task in gains:
            of = [100 * gain for gain in gains[task][method]]
            error = statistics.stdev(of) / math.sqrt(len(of)) if len(of) > 1 else math.nan
            cells.append(f"{statistics.mean(of):.1f} ± {error:.1f} ({min(of):.1f})")
        lines.append([method, f"{mean_rank:.2f}", f"{worst_rank:.2f}", *cells])
    print("| " + " | ".join(header) + " |")
    print("|" + "---|" * len(header))
    for line in lines[1:]:
        print("| " + " | ".join(line) + " |")
    seeds = {len(all) for of in gains.values() for all in of.values()}
    print(f"\nseeds of each method and task: {', '.join(map(str, sorted(seeds)))}")


def numbers(text):
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--gauntlet", default="gauntlet", help="the program")
    options.add_argument("--tasks", type=lambda text: text.split(","), default=ANNOUNCED)
    options.add_argument("--hold-out", dest="tasks", action="store_const", const=HELD_OUT, help="the tasks that were kept for the first `model`")
    options.add_argument("--second", dest="tasks", action="store_const", const=SECOND, help="those that are kept for `model` as it is now")
    options.add_argument("--methods", type=lambda text: text.split(","), default=RANKED)
    options.add_argument("--seeds", type=numbers, default=numbers("1-10"))
    options.add_argument("--out", type=Path, default=ROOT / "results" / "tuners" / "gains.csv")
    options.add_argument("--scratch", help="a folder for journals, which are removed after each search")
    options.add_argument("--ranks", action="store_true", help="play nothing, and print the ranks of what was played")
    args = options.parse_args()
    if not args.ranks:
        play(args)
    standing(args)


if __name__ == "__main__":
    main()
