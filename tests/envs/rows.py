"""Environments that Gymnasium has too, under the same name."""

import gymnasium

from mjenv.gym.registration import ENVS

ROWS = [row for row in ENVS if row.id in gymnasium.registry]
IDS = [row.id for row in ROWS]
