"""Tunes a player of gauntlet by Optuna: `gauntlet ask` plays what Optuna suggests, and validates its answer."""

import argparse
import json
import subprocess


class Gauntlet:
    """A `gauntlet ask` that answers questions."""

    def __init__(self, program, file, *options):
        command = [program, "ask", file, *options]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def answer(self, **question):
        print(json.dumps(question), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"gauntlet ended with status {self.process.wait()}")
        answer = json.loads(line)
        if "mistake" in answer:
            raise SystemExit(f"gauntlet: {answer['mistake']}")
        return answer

    def close(self):
        self.process.stdin.close()
        return self.process.wait()


def suggested(trial, space):
    """A value for each setting."""
    values = {}
    for setting in space:
        if "choices" in setting:
            values[setting["key"]] = trial.suggest_categorical(setting["key"], setting["choices"])
            continue
        suggest = trial.suggest_int if setting["whole"] else trial.suggest_float
        number = int if setting["whole"] else float
        bounds = number(setting["min"]), number(setting["max"])
        values[setting["key"]] = suggest(setting["key"], *bounds, log=setting["scale"] == "log")
    return values


def main():
    # Other scripts import only the functions above, which do not need Optuna.
    import optuna

    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("file", help="an experiment with a [tune] of settings")
    options.add_argument("--gauntlet", default="gauntlet", help="the program")
    options.add_argument("--results", default="results", help="where gauntlet keeps its games")
    options.add_argument("--trials", type=int, default=60, help="candidates that this process tries")
    options.add_argument("--blocks", type=int, default=50, help="games of each candidate")
    options.add_argument("--finalists", type=int, default=5, help="candidates that play for the answer")
    options.add_argument("--seed", type=int, default=1, help="of Optuna's chance")
    options.add_argument("--storage", help="Optuna's storage, for several processes at one study")
    options.add_argument("--worker", action="store_true", help="try candidates, and leave the answer to another")
    args = options.parse_args()

    gauntlet = Gauntlet(args.gauntlet, args.file, "--results", args.results)
    space = gauntlet.answer(space=True)["space"]

    def loss(trial):
        # The number of a trial is unique in the whole study, so each trial has fresh blocks in any
        # process.
        first = trial.number * args.blocks
        answer = gauntlet.answer(ask=suggested(trial, space), blocks=args.blocks, first=first)
        if "refused" in answer:
            raise optuna.TrialPruned(answer["refused"])
        return answer["loss"]

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    sampler = optuna.samplers.TPESampler(seed=None if args.storage else args.seed)
    study = optuna.create_study(
        study_name="gauntlet", sampler=sampler, storage=args.storage, load_if_exists=bool(args.storage)
    )
    if not study.trials:
        study.enqueue_trial({setting["key"]: setting["start"] for setting in space})
    study.optimize(loss, n_trials=args.trials)
    if args.worker:
        return gauntlet.close()

    # The trial with the lowest noisy loss was also lucky. So the best few play again, on common
    # fresh blocks.
    complete = [trial for trial in study.trials if trial.value is not None]
    finalists = sorted(complete, key=lambda trial: trial.value)[: args.finalists]
    first = len(study.trials) * args.blocks
    asked = [trial.params for trial in finalists]
    answers = gauntlet.answer(ask=asked, blocks=4 * args.blocks, first=first)["answers"]
    best = min(range(len(asked)), key=lambda place: answers[place]["loss"])

    told = gauntlet.answer(tell=asked[best])
    print(f"{told['verdict']}: {told['answer']}")
    for key, value in asked[best].items():
        print(f"  {key} = {value:.4g}" if type(value) is float else f"  {key} = {value}")
    print(f"to play with these settings: gauntlet run {told['tuned']}")
    return gauntlet.close()


if __name__ == "__main__":
    raise SystemExit(main())
