"""Environments as Stable-Baselines3 takes them."""
