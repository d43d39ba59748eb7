"""LightZero: with `ignore_legal_actions=False`, equal seeds and actions give other games."""

from zoo.game_2048.envs.game_2048_env import Game2048Env

configuration = Game2048Env.default_config()
configuration.ignore_legal_actions = False
env = Game2048Env(configuration)
boards = set()
for _ in range(10):
    env.seed(7)
    env.reset()
    for step in range(40):
        env.step(step % 2)  # some of these actions are illegal
    boards.add(str(env.board))
print(f"{len(boards)} different boards after 10 times the same 40 actions with seed 7")
