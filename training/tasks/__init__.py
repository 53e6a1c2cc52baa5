"""Observations that are not one vector, as learners take them: groups, goals, several agents."""
