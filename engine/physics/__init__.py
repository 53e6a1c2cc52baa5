"""Kernels of the physics, one folder for each chapter of MuJoCo's "Computation"."""
