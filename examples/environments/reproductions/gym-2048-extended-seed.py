"""gym-2048-extended: `reset(seed=…)` does not determine the game."""

from gym_2048.env import Base2048Env

env = Base2048Env()
starts = {str(env.reset(seed=7)[0]) for _ in range(10)}
print(f"{len(starts)} different starts in 10 resets with seed 7")
