"""The window to work in: `mjenv view`, `mjenv watch`, `mjenv.viewer`."""
