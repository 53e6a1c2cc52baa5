"""Learning algorithms: what is learned from worlds, and how its gradients are computed."""
