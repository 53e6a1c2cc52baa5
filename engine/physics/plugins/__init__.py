"""Plugins that MuJoCo brings: controllers, cables, grids of touch."""
