"""OpenSpiel: `legal_actions` omits legal moves. A move is legal if it changes the tiles."""

import random

import pyspiel


def draw(state):
    while state.is_chance_node():
        outcomes, weights = zip(*state.chance_outcomes())
        state.apply_action(random.choices(outcomes, weights)[0])


random.seed(1)
positions = wrong = 0
for _ in range(300):
    state = pyspiel.load_game("2048").new_initial_state()
    draw(state)
    while not state.is_terminal():
        legal = [a for a in range(4) if str(state.child(a)) != str(state)]
        positions += 1
        if state.legal_actions() != legal:
            if not wrong:
                print(f"{state}legal_actions: {state.legal_actions()}, legal moves: {legal}")
            wrong += 1
        state.apply_action(random.choice(legal))
        draw(state)
print(f"{wrong:,} of {positions:,} positions")
