"""The physics engine: MJCF in, states out. Imports nothing of the other folders."""
