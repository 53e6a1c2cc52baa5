"""Formulas of users, such as rewards of tasks, computed in the parallel section beside physics."""
