"""Actuators: how they pull, how their state moves, and the forces that follow."""
