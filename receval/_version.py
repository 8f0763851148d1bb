"""The version, which is stated here and nowhere else."""

__version__ = "0.3.0"
