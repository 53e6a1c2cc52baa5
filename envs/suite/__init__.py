"""The tasks of the dm_control suite (Tassa et al. 2018), one file per domain."""
