"""MuJoCo physics in numba, and Gymnasium environments on top of it."""
