"""Uses of the package for a type checker, which must refuse the lines with a comment."""

import gauntlet
import gymnasium
import numpy as np
import numpy.typing as npt


def right(boards: npt.NDArray[np.int8], legal: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    moves: npt.NDArray[np.int64] = legal.argmax(axis=1)
    return moves


def untyped(boards: np.ndarray, legal: np.ndarray) -> np.ndarray:
    moves: np.ndarray = np.where(legal, [1, 2, 4, 3], 0).argmax(axis=1)
    return moves


def mask(boards: npt.NDArray[np.int8], legal: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    return legal


def one_argument(boards: npt.NDArray[np.int8]) -> list[int]:
    return [0] * len(boards)


result = gauntlet.evaluate(right, against=["greedy", {"algorithm": "random"}], rules={"win": 1024})
gauntlet.evaluate({"a": untyped, "b": lambda boards, legal: [0] * len(boards)}, "greedy", seed=2)
env = gauntlet.make("2048", illegal="end")
envs = gauntlet.make_vec(num_envs=2, autoreset_mode="SameStep")
boards, info = envs.reset(seed=[1, 2])
envs.step(np.array([0, 1]))
envs.step(info["action_mask"].argmax(axis=1))
env.step(env.action_space.sample())
report = gauntlet.check_env(lambda: gymnasium.make("gauntlet/2048-v0"), actions=["up", "right", "down", "left"])
env.set_state(env.get_state(), seed=1)
print(report.passed, result.win_rate[["player", "wins"]][0]["wins"], result.compare("a", "b", by="reach 2048").p)

gauntlet.evalute(right)  # error: has no attribute "evalute"
gauntlet.Results("results/quick")  # error: has no attribute "Results"
gauntlet.evaluate(right, game="chess")  # error: has incompatible type "Literal['chess']"
gauntlet.evaluate(right, rules={"wim": 1024})  # error: "dict[str, int]"; expected "Rules | None"
gauntlet.evaluate(right, rules={"win_by": "score"})  # error: "dict[str, str]"; expected "Rules | None"
gauntlet.evaluate(right, opponents="greedy")  # error: Unexpected keyword argument "opponents"
gauntlet.evaluate(right, games="1000")  # error: has incompatible type "str"; expected "int"
gauntlet.evaluate(right(np.zeros((1, 4, 4), np.int8), np.ones((1, 4), bool)))  # error: incompatible type
gauntlet.evaluate(mask)  # error: incompatible type
gauntlet.evaluate(one_argument)  # error: incompatible type
gauntlet.evaluate(right, against=right)  # error: incompatible type
result.win_rte  # error: "Result" has no attribute "win_rte"
result.table("win-rate", frame="arrow")  # error: Unexpected keyword argument "frame"
result.win_rate.sort("wins")  # error: "Table" has no attribute "sort"
env.set_board([0] * 16, cells="planes")  # error: incompatible type "Literal['planes']"
result.compare("a", "b", measure="score")  # error: Unexpected keyword argument "measure"
result.compare("a", "b").p_value  # error: "Comparison" has no attribute "p_value"
result.plot().write("plot.svg")  # error: "Plot" has no attribute "write"
gauntlet.make("2048", illegal="raise")  # error: incompatible type "Literal['raise']"
gauntlet.make_vec("2048", number=64)  # error: Unexpected keyword argument "number"
gauntlet.make_vec("2048", autoreset_mode="NEXT_STEP")  # error: incompatible type
env.step("up")  # error: incompatible type "str"; expected "SupportsIndex"
envs.step(["up", "down"])  # error: incompatible type "str"
gauntlet.gomoku.env(rule="renju")  # error: incompatible type "Literal['renju']"
gauntlet.check_env(env)  # error: incompatible type "Env"
gauntlet.check_env(lambda: env, cells="exponents")  # error: incompatible type "Literal['exponents']"
report.verdict  # error: "Report" has no attribute "verdict"
gauntlet.run("quick.toml", quite=True)  # error: Unexpected keyword argument "quite"
