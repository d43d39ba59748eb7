"""jumanji: a game starts with one tile."""

import jax
from jumanji.environments import Game2048

state, _ = Game2048().reset(jax.random.PRNGKey(1))
print(state.board)
