"""Draw the figure of the paper: one list, and its nDCG@10 under every convention.

Run ``PYTHONPATH=docs python paper/figure.py`` after a change of conventions.
"""

from pathlib import Path

import pictures
from matplotlib.figure import Figure

figure = Figure(figsize=(9.5, 2.8), layout="constrained")
pictures.one_list(figure.subplots())
figure.savefig(Path(__file__).parent / "figure.png", dpi=200, metadata={"Software": None})
