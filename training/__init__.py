"""Training of agents on the environments: scripts, hyperparameters, run folders."""
