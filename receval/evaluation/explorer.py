"""A live view of the difference of two systems, down to the items in the lists of a user."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import NamedTuple, Protocol, cast

import ipywidgets as widgets
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from receval._checks import FloatArray, InputError, input_error
from receval._escape import for_html, for_plot, frame_for_terminal, without_mathematics
from receval._types import Id, Record
from receval._views import Drawing, View, choice
from receval.evaluation.groups import GroupLabels, users_by_group
from receval.evaluation.list_difference import UserDifference
from receval.evaluation.report import Explanation, quote_label
from receval.measure.definition import Measure
from receval.plots.axes import BLUE, ORANGE, finish_axes

__all__ = ["Explorer"]

ALL_USERS = "all users"
SIZE = (9.5, 2.9)  # inches
N_BINS = 41
MAX_POINTS = 1_000
"""The curve of all differences has at most this many points, because more would only take time."""

MAX_ROWS = 25
"""The lists of a user are shown down to this rank."""


class ExplorableResult(Protocol):
    """The part of an `Evaluation` that the explorer needs."""

    @property
    def systems(self) -> list[Id]:
        """Return the names of the systems."""

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Return the measures."""

    def values(self, system: Hashable, measures: Iterable[str] | None) -> pd.DataFrame:
        """Return the values of one system by user."""

    def diff(
        self,
        a: Hashable,
        b: Hashable,
        *,
        user: str | int,
        measure: str | None,
        items: pd.DataFrame | None,
    ) -> UserDifference:
        """Return the two lists of a user, with the contribution of each rank to the difference."""

    def explain(self, user: Id, measure: str, *, system: Hashable) -> Explanation:
        """Return the working of a user's value."""

    def lists(self, user: Id, *, system: Hashable, items: pd.DataFrame | None) -> pd.DataFrame:
        """Return the list of a user."""


class SortedUsers(NamedTuple):
    """The users who have a value under both systems, from the lowest to the highest difference.

    Attributes
    ----------
    users : the ids of the users.
    a, b, difference : the values of the users under both systems, and b minus a.
    """

    users: pd.Index
    a: FloatArray
    b: FloatArray
    difference: FloatArray


class Explorer(View):
    """The differences of two systems over the users, and the two lists of a chosen user.

    `Evaluation.explore` makes it. Readers choose the measure, the two systems and a group of users.
    They move a slider from the user with the lowest difference to the user with the highest
    difference, or type an id.

    Attributes
    ----------
    lists : widget
        The chosen user's two lists, and the working of both values, as HTML.
    user : id
        The chosen user.
    """

    def __init__(
        self,
        evaluation: ExplorableResult,
        *,
        measure: str,
        a: Id,
        b: Id,
        groups: GroupLabels | None,
        items: pd.DataFrame | None,
    ) -> None:
        """Show the differences of a measure, and the user with the lowest difference.

        ``a`` and ``b`` are the first two systems; ``groups`` has the group of each user, or is
        None; ``items`` has titles to show, or is None.
        """
        self._evaluation = evaluation
        self._items = items
        self._users_of_group = {}
        if groups is not None:
            all_users = evaluation.values(a, [measure]).index
            self._users_of_group = {
                str(group): users for group, users in users_by_group(all_users, groups).items()
            }
        self._values: dict[tuple[Id, str], pd.Series[float]] = {}
        self._sorted: dict[tuple[str, Id, Id, str], SortedUsers] = {}
        self._is_adjusting = False
        self.user: Id = None
        self.lists: widgets.DOMWidget = widgets.HTML()
        system_names = [(str(system), system) for system in evaluation.systems]
        names = [each.name for each in evaluation.measures if each.per_user]
        controls = {
            "measure": choice("measure", measure, names),
            "group": choice("group", ALL_USERS, [ALL_USERS, *self._users_of_group]),
            "a": widgets.Dropdown(options=system_names, value=a, description="a"),
            "b": widgets.Dropdown(options=system_names, value=b, description="b"),
            "place": widgets.IntSlider(
                1, min=1, max=1, description="place", tooltip="users, from the lowest difference"
            ),
            "user": widgets.Text(description="user", continuous_update=False),
        }
        super().__init__(self._draw, SIZE, controls, below=[self.lists])

    def redraw(self, change: object = None) -> None:
        """Draw again after a change of a control; if this is not possible, say why.

        ``change`` is ipywidgets' record of the change.
        """
        if self._is_adjusting:  # this class itself has set the control, and will draw later
            return
        if isinstance(change, dict):
            try:
                self._prepare(change)
            except InputError as error:
                self.says.value = for_html(error)
                return
        super().redraw(change)

    def _prepare(self, change: Record) -> None:
        """Adjust the other controls to the control that the reader has changed.

        Raises an `InputError` if the reader typed an id that no shown user has, or if no user of
        the group has both values.
        """
        owner = change["owner"]
        controls = self.controls
        if owner is controls["place"]:
            return
        if owner is controls["user"]:
            self._go_to(change["new"])
            return
        # If the reader has made both systems the same, swap the two systems.
        for name, other in (("a", "b"), ("b", "a")):
            if owner is controls[name] and change["new"] == controls[other].value:
                self._adjust(other, change["old"])
        # Keep the chosen user, if the group has this user.
        users = self._present_users()
        (position,) = users.users.get_indexer(pd.Index([self.user]))
        if position >= 0:
            self._adjust("place", int(position) + 1, max=users.difference.size)

    def _present_users(self) -> SortedUsers:
        """Return the users for the current controls; raise an error if none has both values."""
        values = {name: self.controls[name].value for name in ("measure", "a", "b", "group")}
        return self._sorted_users(**values)

    def _go_to(self, text: str) -> None:
        """Move the slider to the user with this id; raise an error if there is no such user."""
        users = self._present_users()
        places = np.flatnonzero(users.users.astype(str) == text.strip())
        if not places.size:
            examples = users.users[:3].tolist()
            raise input_error("user", f"be a shown user, such as {examples}", repr(text))
        self._adjust("place", int(places[0]) + 1)

    def _adjust(self, name: str, value: object, **attributes: object) -> None:
        """Set other attributes and then the value of a control, without drawing."""
        self._is_adjusting = True
        try:
            control = self.controls[name]
            for attribute, new in attributes.items():
                setattr(control, attribute, new)
            control.value = value
        finally:
            self._is_adjusting = False

    def _draw(
        self, left: Axes, right: Axes, measure: str, group: str, a: Id, b: Id, place: int, user: str
    ) -> Drawing:
        """Draw the differences, and show the lists of the user at one place on the slider.

        ``user`` is the text in the control for ids. The method replaces it by the id of this user.
        """
        users = self._sorted_users(measure, a, b, group)
        n_users = users.difference.size
        place = min(place, n_users)
        self._adjust("place", place, max=n_users)
        self.user = users.users[[place - 1]].tolist()[0]
        if str(self.user) != user:
            self._adjust("user", str(self.user))
        value_a, value_b = users.a[place - 1], users.b[place - 1]
        _draw_histogram(left, users.difference, place, measure)
        _draw_curve(right, users.difference, place)
        self.lists.value = self._lists_in_html(measure, a, b)

        mean = float(users.difference.mean())
        n_better = int((users.difference > 0).sum())
        n_worse = int((users.difference < 0).sum())
        names = f"{quote_label(b)} (b) - {quote_label(a)} (a)"
        sentence = (
            f"<b>{for_html(measure)}, {for_html(names)}: {mean:+.4f}</b>, mean over {n_users:,} "
            f"users ({for_html(group)}); {n_better:,} are better off under b, {n_worse:,} worse "
            f"off, {n_users - n_better - n_worse:,} the same. User "
            f"{for_html(quote_label(self.user))} is at place {place:,}."
        )
        table = pd.DataFrame(
            {
                "mean": [users.a.mean(), users.b.mean(), mean],
                f"user {self.user}": [value_a, value_b, value_b - value_a],
            },
            index=pd.Index([f"a: {a}", f"b: {b}", "b - a"], name=measure),
        )
        return sentence, table

    def _sorted_users(self, measure: str, a: Id, b: Id, group: str) -> SortedUsers:
        """Return the users of a group, sorted by difference; store the result for later calls.

        Raises an `InputError` if the two systems are the same, or no user has both values.
        """
        key = (measure, a, b, group)
        if key not in self._sorted:
            if a == b:  # possible only at the beginning, because later the two are swapped
                raise input_error("b", "be another system than a", quote_label(b))
            values = pd.DataFrame(
                {"a": self._values_of(a, measure), "b": self._values_of(b, measure)}
            )
            if group != ALL_USERS:
                values = values.loc[self._users_of_group[group]]
            values = values.dropna()
            if values.empty:
                raise input_error("group", "have a user with a value under both systems", group)
            difference = (values["b"] - values["a"]).to_numpy()
            order = np.argsort(difference, kind="stable")
            self._sorted[key] = SortedUsers(
                values.index[order],
                values["a"].to_numpy()[order],
                values["b"].to_numpy()[order],
                difference[order],
            )
        return self._sorted[key]

    def _values_of(self, system: Id, measure: str) -> pd.Series[float]:
        """Return the values of a system under a measure; read them only once."""
        key = (system, measure)
        if key not in self._values:
            self._values[key] = self._evaluation.values(system, [measure])[measure]
        return self._values[key]

    def _lists_in_html(self, measure: str, a: Id, b: Id) -> str:
        """Return both lists of the chosen user and the working of both values, as HTML.

        If the measure is not a sum over ranks, there are no contributions, and one list is below
        the other. If there are no lists, the text says why.
        """
        user = self.user
        parts = []
        try:
            try:
                difference = self._evaluation.diff(
                    a, b, user=cast("str | int", user), measure=measure, items=self._items
                )
                parts.append(_table_in_html(difference.table))
            except InputError as error:
                parts.append(f"<p>{for_html(error)}</p>")
                for system in (a, b):
                    shown = self._evaluation.lists(user, system=system, items=self._items)
                    parts += [f"<p>{for_html(system)}</p>", _table_in_html(shown)]
            for letter, system in (("a", a), ("b", b)):
                working = self._evaluation.explain(user, measure, system=system)
                summary = f"working under {letter}: {system}"
                parts.append(
                    f"<details><summary>{for_html(summary)}</summary>"
                    f"{_table_in_html(working.table)}</details>"
                )
        except InputError as error:
            # If there are no lists, this error says so, too.
            parts = [f"<p>{for_html(error)}</p>"]
        return "".join(parts)


def _draw_histogram(ax: Axes, differences: FloatArray, place: int, measure: str) -> None:
    """Draw a histogram of the differences; ``place`` is the chosen user's place, from 1."""
    counts, edges = np.histogram(differences, bins=N_BINS)
    middles = (edges[:-1] + edges[1:]) / 2
    colours = [BLUE if middle >= 0 else ORANGE for middle in middles]
    ax.bar(middles, counts, width=np.diff(edges), color=colours)
    ax.axvline(differences.mean(), color="black", linewidth=1, linestyle="--")
    ax.plot(differences[place - 1], 0, "^", color="black", clip_on=False)
    # Often most users have the difference 0, and a linear scale would hide the others.
    if counts.max() > 20 * max(np.median(counts[counts > 0]), 1):
        ax.set_yscale("symlog", linthresh=1)
        ax.minorticks_off()
    ax.yaxis.set_major_formatter("{x:,.0f}")  # drawing powers of ten as formulas takes long
    title = f"{measure}: users by difference (dashed: mean)"
    finish_axes(ax, title=for_plot(title), xlabel="b - a", ylabel="users")


def _draw_curve(ax: Axes, differences: FloatArray, place: int) -> None:
    """Draw a curve of the differences, from lowest to highest, with a point at the chosen user."""
    n_users = differences.size
    shown = np.unique(np.linspace(0, n_users - 1, MAX_POINTS).astype(int))
    ax.axhline(0, color="0.6", linewidth=1)
    ax.plot(shown + 1, differences[shown], color=BLUE)
    ax.plot(place, differences[place - 1], "o", color="black")
    finish_axes(ax, title="Users from the lowest difference", xlabel="place", ylabel="b - a")


def _table_in_html(table: pd.DataFrame) -> str:
    """Return the first rows of a table as HTML, with a line that counts all other rows."""
    shown = frame_for_terminal(table.head(MAX_ROWS).round(4))
    html = without_mathematics(shown.to_html(index=False, na_rep="–"))
    n_hidden = len(table) - len(shown)
    if n_hidden > 0:
        html += f"<p>and {n_hidden} more ranks</p>"
    return html
