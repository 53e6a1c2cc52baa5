"""Bytecode of users' functions, such as rewards, which runs in the threads of the physics."""
