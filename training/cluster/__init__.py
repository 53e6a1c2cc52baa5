"""Training and rollouts on more than one machine, over Ray (`pip install 'mjenv[ray]'`)."""
