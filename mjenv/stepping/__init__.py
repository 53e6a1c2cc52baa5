"""The road of an action: worlds, steps, episodes, results, saved states."""
