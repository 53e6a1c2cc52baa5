"""The process and its installation: signals that end it, packages of extras."""
