"""Learners of tasks whose observations are not one vector: groups, goals, several agents."""
