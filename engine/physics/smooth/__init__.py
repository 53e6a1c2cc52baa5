"""Smooth dynamics: kinematics, inertia, passive forces, tendons, fluid, energy."""
