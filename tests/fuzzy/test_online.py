"""On-line measures and the attribution of clicks and visits (document 002, section IV-B)."""

import math
from contextlib import nullcontext
from datetime import datetime, timedelta

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from statsmodels.stats.proportion import proportion_confint

from receval import EvaluationWarning, InputError
from receval.fuzzy import (
    attribute_clicks,
    attribute_visits,
    impression_of,
    online_intervals,
    online_measures,
    online_terms,
)

# Random logs repeat responses; that these may decide has its own test.
pytestmark = pytest.mark.filterwarnings("ignore:.* responses are repeated")

D = [0.0, *np.cumsum([1 / math.log2(p + 1) for p in range(1, 51)])]


def random_log(seed, n_sessions=60):
    """Return sessions of three systems, with lists of varying length and a weight per session."""
    rng = np.random.default_rng(seed)
    rows = []
    for session in range(n_sessions):
        user, known = int(rng.integers(15)), int(rng.integers(1, 6))
        items = rng.permutation(40)[: int(rng.integers(1, 11))]
        for place, item in enumerate(items, start=1):
            hit = bool(rng.random() < 0.15)
            rows.append((session, user, int(item), place, "ABC"[user % 3], hit, 1 / known))
    names = ["session", "user", "item", "position", "system", "clicked", "weight"]
    return pd.DataFrame(rows, columns=names)


def slowly(log, k):
    """Compute the equations one pair at a time."""
    answer = {}
    for system, part in log[log["position"] <= k].groupby("system"):
        f = [1 / math.log2(place + 1) for place in part["position"]]
        h = part["clicked"].astype(float)
        kept = [min(1.0, 1 - b + r) for b, r in zip(f, h, strict=True)]
        implied = [1.0 if b <= r else r for b, r in zip(f, h, strict=True)]
        weighted = [np.average(implied, weights=weights) for weights in (f, part["weight"])]
        answer[system] = [np.mean(kept), np.mean(implied), *weighted]
    return pd.DataFrame.from_dict(answer, orient="index").to_numpy()


def sessions_slowly(log, k, variant):
    """Compute a variant one session at a time: the program's as its errata describe it."""
    answer = {}
    for system, part in log.groupby("system"):
        rows = []
        for _, whole in part.groupby(["user", "session"]):
            session = whole if variant == "program" else whole[whole["position"] <= k]
            clicked = session[session["clicked"]]
            gained = math.fsum(1 / math.log2(p + 1) for p in clicked["position"])
            if variant == "program":
                implied, to_place = D[k] + gained, gained / D[min(len(session), k)]
                novelty = len(clicked) * clicked["weight"].sum()
            else:
                implied, to_place = len(session) - D[len(session)] + gained, gained / D[k]
                novelty = clicked["weight"].sum()
            of_session = [implied / k, len(clicked) / k, to_place, novelty / k]
            rows.append([*of_session, session["weight"].mean()])
        *means, novelty, weight = np.mean(rows, axis=0)
        answer[system] = [*means, novelty / weight]
    return pd.DataFrame.from_dict(answer, orient="index").to_numpy()


# By hand ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("places", "clicked", "expected"),
    [
        pytest.param([1], [True], [1, 1, 1], id="the first place clicked"),
        pytest.param([1], [False], [0, 0, 0], id="the first place ignored"),
        pytest.param([3], [False], [0.5, 0, 0], id="place 3 ignored"),
        pytest.param([1, 3], [False, True], [0.5, 0.5, 1 / 3], id="one of two"),
        pytest.param([1, 3], [True, False], [0.75, 0.5, 2 / 3], id="the better one of two"),
        pytest.param([6], [False], [1 - 1 / math.log2(7), 0, 0], id="the document's 0.644"),
    ],
)
def test_measures_by_hand(places, clicked, expected):
    log = pd.DataFrame({"system": "A", "position": places, "clicked": clicked})
    found = online_measures(log, k=6)
    assert_allclose(found.loc["A", ["IL", "IG", "IG_pos"]], expected, rtol=1e-14)
    assert math.isnan(found.loc["A", "IG_nov"])


def test_places_beyond_k_are_left_out_and_counted():
    log = pd.DataFrame({"system": "A", "position": [1, 6, 7, 20], "clicked": [0, 1, 1, 0]})
    measured = online_measures(log, k=6)
    assert measured.loc["A", "IG"] == 0.5
    counts = {"impressions": 4, "beyond_k": 2, "responses": 2, "responses_beyond_k": 1}
    assert measured.attrs["counts"] == counts
    assert online_measures(log.iloc[2:], k=6).isna().all(axis=None)


def test_terms_are_what_the_measures_average():
    log = random_log(3).assign(system="A")
    log["clicked"] = np.random.default_rng(1).random(len(log)).round(2)
    terms = online_terms(log, k=6)
    means = [*terms[["IL", "IG"]].mean(), np.average(terms["IG"], weights=terms["f"])]
    assert_allclose(means, online_measures(log, k=6).loc["A", ["IL", "IG", "IG_pos"]], rtol=1e-14)


# Oracles and properties ------------------------------------------------------------------------


@pytest.mark.parametrize("is_graded", [False, True])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("k", [1, 4, 8, 30])
def test_equations_agree_with_a_loop(seed, k, is_graded):
    log = random_log(seed)
    if is_graded:
        log["clicked"] = np.random.default_rng(seed).random(len(log)).round(2)
    found = online_measures(log, k=k, weight="weight")
    assert_allclose(found, slowly(log, k), rtol=1e-13)
    assert list(found.index) == ["A", "B", "C"]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("variant", ["session_means", "program"])
def test_variants_by_session_agree_with_a_loop(seed, variant):
    log = random_log(seed)
    found = online_measures(log, k=6, weight="weight", variant=variant)
    assert_allclose(found, sessions_slowly(log, 6, variant), rtol=1e-13)


@pytest.mark.parametrize("variant", ["equations", "session_means", "program"])
def test_the_order_of_rows_and_their_index_change_no_bit(variant):
    log = random_log(7)
    log["weight"] = np.random.default_rng(0).random(len(log))  # all different
    options = {"k": 6, "weight": "weight", "variant": variant}
    shuffled = log.sample(frac=1, random_state=1)
    shuffled.index = [0] * len(shuffled)
    pd.testing.assert_frame_equal(
        online_measures(log, **options), online_measures(shuffled, **options), check_exact=True
    )


# Intervals -------------------------------------------------------------------------------------


def test_intervals_hold_the_measures_and_repeat_with_the_seed():
    log, options = random_log(5, n_sessions=300), {"k": 6, "weight": "weight"}
    table, again = (online_intervals(log, **options, rng=0, n_resamples=400) for _ in range(2))
    pd.testing.assert_frame_equal(table, again)
    expected = online_measures(log, **options).to_numpy().ravel()
    assert_allclose(table["value"], expected, rtol=1e-12)
    assert table["value"].between(table["low"], table["high"]).all()


def test_users_are_drawn_with_all_their_impressions():
    """Binomial with p = 0.2 and n = 2,500 users: the interval is 0.2 -+ 1.96 sqrt(p q / n)."""
    log = pd.DataFrame({"system": "A", "user": np.repeat(np.arange(2500), 2), "position": 1})
    log["clicked"] = log["user"] < 500
    row = online_intervals(log, k=1, rng=1, n_resamples=4000).loc[("A", "IG")]
    half = 1.96 * math.sqrt(0.2 * 0.8 / 2500)
    assert_allclose([row["low"], row["high"]], [0.2 - half, 0.2 + half], atol=0.0008)


def test_intervals_of_one_user_and_undefined_measures():
    log = pd.DataFrame({"system": "A", "user": 1, "position": [1, 2], "clicked": [1, 0]})
    with pytest.warns(EvaluationWarning, match=r"no interval for .*\('A', 'IG'\)"):
        table = online_intervals(log, k=6, n_resamples=10, rng=0)
    assert table.loc[("A", "IG"), "value"] == 0.5
    assert table.loc[("A", "IG"), ["low", "high"]].isna().all()
    assert table.loc[("A", "IG_nov")].isna().all()


@pytest.mark.parametrize("clicked", [0, 1])
def test_a_log_without_clicks_or_with_nothing_else_is_not_certain(clicked):
    log = pd.DataFrame({"system": "A", "user": [1, 1, 2, 3, 3], "position": [1, 2, 1, 1, 2]})
    with_warning = pytest.warns(EvaluationWarning, match=r"no interval for \('A', 'IL'\): all")
    with nullcontext() if clicked else with_warning:
        table = online_intervals(log.assign(clicked=clicked), k=2, rng=0).loc["A", ["low", "high"]]
    # Users with 2, 1 and 2 impressions tell as much as 25/9 users with equally many.
    expected = proportion_confint(25 / 9 * clicked, 25 / 9, method="wilson")
    assert_allclose(table.loc["IG"], expected, atol=1e-15)
    assert_allclose(table.loc["IL"], expected if clicked else [np.nan] * 2)


# Attribution -----------------------------------------------------------------------------------


def owners_slowly(impressions, events, rule, min_delay):
    """Return the row of each event's impression, or -1, one event at a time."""
    answer = []
    for event in events.itertuples():
        matches = []
        for row, shown in enumerate(impressions.itertuples()):
            delay = event.time - shown.time
            key = (delay % 86_400, delay) if rule == "program" else (delay,)
            is_same = (shown.user, shown.item) == (event.user, event.item)
            if is_same and delay > 0 and key[0] > min_delay:
                matches.append((key, row))
        answer.append(min(matches)[1] if matches else -1)
    return answer


def random_events(seed, n=120, span=400_000):
    rng = np.random.default_rng(seed)
    impressions = pd.DataFrame(
        {"user": rng.integers(4, size=n), "item": rng.integers(4, size=n)}
    ).assign(time=rng.choice(span, size=n, replace=False))
    events = pd.DataFrame(
        {"user": rng.integers(5, size=60), "item": rng.integers(5, size=60)}
    ).assign(time=rng.integers(span, size=60))
    return impressions, events


@pytest.mark.parametrize("rule", ["latest", "program"])
@pytest.mark.parametrize("min_delay", [0, 5, 3600])
@pytest.mark.parametrize("seed", range(2))
def test_attribution_agrees_with_a_loop(rule, min_delay, seed):
    impressions, events = random_events(seed)
    found = impression_of(impressions, events, rule=rule, min_delay=min_delay)
    assert found.tolist() == owners_slowly(impressions, events, rule, min_delay)


def test_dates_and_seconds_give_the_same():
    tables = random_events(11)
    first = pd.Timestamp("2018-07-20", tz="Europe/Prague")
    dated = [table.assign(time=first + pd.to_timedelta(table["time"], "s")) for table in tables]
    expected = impression_of(*tables, min_delay=0.5)
    assert (impression_of(*dated, min_delay=0.5) == expected).all()


NOON = datetime(2018, 7, 20, 12)
NOON_IN_NS = pd.Timestamp(NOON).value


def after_noon(*nanoseconds):
    """Return dates that lie so many nanoseconds after noon."""
    return pd.to_datetime([NOON_IN_NS + delay for delay in nanoseconds])


@pytest.mark.parametrize(
    ("shown", "events", "options", "expected"),
    [
        pytest.param([10.0, 30.0, 20.0], [25, 30, 30.5], {}, [2, 2, 1], id="the latest earlier"),
        pytest.param([10, 10], [20], {"duplicates": "last"}, [1], id="the last row"),
        pytest.param(
            [10, 10], [20], {"duplicates": "last", "rule": "program"}, [1], id="also by the program"
        ),
        pytest.param(
            [NOON],
            [NOON + timedelta(seconds=delay) for delay in (5, 6, 86_400, 86_405, 86_406)],
            {"rule": "program"},
            [-1, 0, -1, -1, 0],
            id="the program needs more than five seconds modulo a day",
        ),
        pytest.param(
            after_noon(500, 900), after_noon(400, 800, 950), {}, [-1, 0, 1], id="nanoseconds"
        ),
        pytest.param(
            np.array([NOON_IN_NS], "int64"),
            np.array([NOON_IN_NS + 1], "uint64"),
            {},
            [0],
            id="whole numbers of two types",
        ),
        pytest.param([], [20], {}, [-1], id="no impression"),
        pytest.param([10], [], {}, [], id="no event"),
    ],
)
def test_impressions_of_events_by_hand(shown, events, options, expected):
    impressions, visits = (
        pd.DataFrame({"user": 1, "item": "a", "time": times}) for times in (shown, events)
    )
    assert impression_of(impressions, visits, **options).tolist() == expected


def test_counts_add_up_and_say_why():
    impressions = pd.DataFrame({"user": 1, "item": [*"abca"], "time": [10, 10, 100, 35]})
    visits = pd.DataFrame({"user": 1, "item": [*"aaabcd"], "time": [30, 45, 46, 12, 50, 9]})
    marked = attribute_visits(impressions, visits, min_delay=5)
    assert marked["visited"].tolist() == [True, False, False, True]
    assert marked.attrs["counts"]["visits"] == {
        "given": 6, "attributed": 3, "impressions": 2, "repeated": 1,
        "never_shown": 1, "shown_later": 1, "too_soon": 1,
    }  # fmt: skip
    assert "visited" not in impressions


def test_clicks_may_fall_on_the_second_of_the_impression_and_unmatched_ones_can_be_counted():
    impressions = pd.DataFrame({"user": 1, "item": "a", "time": [10, 20]})
    clicks = pd.DataFrame({"user": 1, "item": ["a", "a", "z"], "time": [20, 9, 12]})
    marked = attribute_clicks(impressions, clicks, unmatched="count")
    assert marked["clicked"].tolist() == [False, True]
    expected = {"given": 3, "attributed": 1, "never_shown": 1, "shown_later": 1}
    assert expected.items() <= marked.attrs["counts"]["clicks"].items()


@pytest.mark.parametrize(
    ("without_zone", "with_zone"),
    [
        pytest.param("M8[us]", "datetime64[us, UTC]", id="NumPy"),
        pytest.param("timestamp[us][pyarrow]", "timestamp[us, tz=UTC][pyarrow]", id="Arrow"),
    ],
)
def test_times_with_a_zone_are_not_compared_with_times_without(without_zone, with_zone):
    # Taken as UTC, 11:00 would be 13:00 in Prague, after the second impression.
    times = pd.to_datetime(["2026-01-01 10:00", "2026-01-01 12:00"]).tz_localize("Europe/Prague")
    impressions = pd.DataFrame({"user": 1, "item": "a", "time": times})
    at_eleven = pd.Series(pd.to_datetime(["2026-01-01 11:00"]))
    visits = impressions[:1].assign(time=at_eleven.astype(without_zone))
    message = "time must have one type in impressions and visits; got dates with a time zone and "
    with pytest.raises(InputError, match=f"{message}dates$"):
        attribute_visits(impressions, visits)
    at_eleven = at_eleven.dt.tz_localize("Europe/Prague")
    visits = visits.assign(time=at_eleven.astype(with_zone))
    assert attribute_visits(impressions, visits)["visited"].tolist() == [True, False]


def test_logs_in_nanoseconds_and_in_seconds_agree_on_far_dates():
    # In nanoseconds, int64 ends in 2262; the year 3020 would become 1850.
    impressions = pd.DataFrame({"user": [1], "item": "a", "time": np.array(["2026"], "M8[ns]")})
    visits = impressions.assign(time=np.array(["3020"], "M8[s]"))
    assert attribute_visits(impressions, visits)["visited"].tolist() == [True]


# Refusals --------------------------------------------------------------------------------------

LOG = pd.DataFrame(
    {
        "session": [1, 1, 2],
        "user": [1, 1, 2],
        "item": ["a", "b", "a"],
        "position": [1, 2, 1],
        "system": ["A", "A", "B"],
        "clicked": [True, False, False],
        "weight": [1.0, 1.0, 0.5],
    }
)


@pytest.mark.parametrize(
    ("changes", "options", "message"),
    [
        pytest.param(
            {}, {"response": "opened"}, "impressions must have one column 'opened'", id="no column"
        ),
        pytest.param({}, {"system": None}, "impressions must have one column None", id="no system"),
        pytest.param(
            {"position": [0, 2, 1]}, {}, r"position must be at least 1; got 0", id="place 0"
        ),
        pytest.param({"position": [1, 1.5, 1]}, {}, "position must hold whole", id="place 1.5"),
        pytest.param({"position": [1, np.nan, 1]}, {}, "position must hold whole", id="place NaN"),
        pytest.param(
            {"clicked": [1, 2, 0]}, {}, "clicked must be boolean, or 0 and 1; got 2", id="h = 2"
        ),
        pytest.param({"clicked": [1, np.nan, 0]}, {}, "clicked must be boolean", id="h is NaN"),
        pytest.param(
            {"clicked": ["yes", "no", "no"]}, {}, "clicked must hold numbers", id="h is text"
        ),
        pytest.param(
            {"system": ["A", None, "B"]},
            {},
            "system of impressions must not be missing; got (nan|None) in row 1",
            id="no system",
        ),
        pytest.param(
            {"weight": [1, -1, 1]}, {"weight": "weight"}, "weight must be at least 0", id="w < 0"
        ),
        pytest.param(
            {"weight": [1, np.inf, 1]}, {"weight": "weight"}, "weight must be finite", id="w = inf"
        ),
        pytest.param(
            {"weight": [1e308, 1e308, 1]},
            {"weight": "weight"},
            r"weight must be between -1e\+50 and 1e\+50; got 1e\+308 at index 0",
            id="w overflows",
        ),
        pytest.param(
            {"position": [1, 1, 1]},
            {},
            "position must not repeat within a session",
            id="a place twice",
        ),
        pytest.param(
            {"item": ["a", "a", "a"]},
            {},
            "item must not repeat within a session.*rows 1",
            id="an item twice",
        ),
        pytest.param(
            {}, {"variant": "programme"}, "variant must be one of .*'program'", id="variant"
        ),
    ],
)
def test_measures_refuse(changes, options, message):
    with pytest.raises(InputError, match=message):
        online_measures(LOG.assign(**changes), **{"k": 6, **options})


SHOWN = pd.DataFrame({"user": [1, 1], "item": [7, 8], "time": [10, 10]})


@pytest.mark.parametrize(
    ("impressions", "visits", "options", "message"),
    [
        pytest.param(
            {},
            {"user": ["1", "1"]},
            {},
            r"user of impressions and of visits must be ids of one kind; got int64 \(integer\)",
            id="ids",
        ),
        pytest.param(
            {},
            {"user": [1.0, 2.0]},
            {},
            "user of visits must hold ids, .* got float",
            id="float ids",
        ),
        pytest.param(
            {"item": [7, 7]},
            {},
            {},
            "must not repeat an item to one user at one time; got 1",
            id="duplicates",
        ),
        pytest.param(
            {"time": [10, np.nan]},
            {},
            {},
            "time of impressions must not be missing; got nan in row 1",
            id="no time",
        ),
        pytest.param(
            {},
            {"time": pd.to_datetime(["2018-07-20"] * 2)},
            {},
            "time must have one type .*numbers and dates",
            id="units",
        ),
        pytest.param(
            {},
            {"time": ["10", "11"]},
            {},
            "time of visits must hold dates or numbers; got string such as '10'",
            id="text times",
        ),
        pytest.param(
            {"time": after_noon(1, 2)},
            {"time": pd.Timestamp("3020-01-01")},
            {},
            "time must have no date beyond 2262 if another one has nanoseconds",
            id="far dates and nanoseconds",
        ),
        pytest.param(
            {"time": 2**53 + 1},
            {"time": 2.0**54},
            {},
            r"time must hold whole numbers of at most 2\*\*53; got 9007199254740993",
            id="float64 would round times",
        ),
        pytest.param({}, {"item": [7, None]}, {}, "item of visits must", id="missing id"),
        pytest.param(
            {}, {}, {"time": "when"}, "impressions must have one column 'when'", id="column"
        ),
        pytest.param(
            {}, {}, {"rule": "last"}, "rule must be one of 'latest', 'program'", id="rule"
        ),
        pytest.param(
            {},
            {},
            {"min_delay": -1},
            "a number of seconds from 0 to 1e9",
            id="delay",
        ),
        pytest.param(
            {}, {}, {"into": "item"}, "into must be the name of a new column; got 'item'", id="into"
        ),
    ],
)
def test_attribution_refuses(impressions, visits, options, message):
    visits = SHOWN.assign(time=20).assign(**visits)
    with pytest.raises(InputError, match=message):
        attribute_visits(SHOWN.assign(**impressions), visits, **options)


def test_repeated_responses_are_counted_and_said_to_decide():
    columns = {"user": [1, 1, 1, 2, 3, 4, 5, 6], "item": list("xxxyxyzw"), "position": 1}
    log = pd.DataFrame({"system": list("AAAABBBB"), **columns, "clicked": [1, 1, 1, 0, 1, 1, 0, 0]})
    with pytest.warns(EvaluationWarning, match="^2 of 5 responses are repeated: .*IG is best for"):
        measured = online_measures(log, k=6)
    assert measured["IG"].tolist() == [0.75, 0.5]
    assert measured.attrs["counts"]["responses_repeated"] == 2
    assert "IG is best for 'A' if repeated responses" in " ".join(measured.attrs["notes"])
    without = online_measures(log.assign(user=range(8)), k=6).attrs
    assert (without["counts"]["responses_repeated"], without["notes"]) == (0, [])


# Any log ---------------------------------------------------------------------------------------


def test_a_note_says_that_lists_end_at_different_places():
    log = pd.DataFrame({"system": list("AABBB"), "position": [1, 2, 1, 2, 3]})
    log["clicked"] = [1, 0, 1, 0, 1]  # B's third place is clicked
    (note,) = online_measures(log, k=6).attrs["notes"]
    assert note.startswith("the lists end at different places (2 for 'A', 3 for 'B'), and longer")
    assert note.endswith("compare the systems at k=2")
    assert online_measures(log, k=2).attrs["notes"] == []


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: online_measures(LOG.iloc[:0], k=6), "at least one row"),
        (lambda: online_measures([[1, 2]], k=6), r"impressions must be a table .* got list"),
        (
            lambda: online_measures(LOG.rename(columns={"weight": "position"}), k=6),
            "impressions must have one column 'position'; got the columns",
        ),
        (
            lambda: online_measures(LOG.drop(columns="session"), k=6, variant="program"),
            "session must be the name of a column",
        ),
        (
            lambda: online_measures(LOG.assign(system=[1, "A", "A"]), k=6),
            "system of impressions must hold ids, all integers or all text; got mixed",
        ),
        (
            lambda: online_measures(LOG.assign(clicked=[0.5, 0, 1]), k=6, variant="program"),
            "response must be 0 or 1 when variant is 'program'",
        ),
        (
            lambda: online_intervals(LOG, k=6, n_resamples=0),
            "n_resamples must be a positive integer; got 0",
        ),
        (
            lambda: online_intervals(LOG, k=6, user="person"),
            "impressions must have one column 'person'",
        ),
        (
            lambda: online_intervals(LOG.drop(columns="user"), k=6),
            "user must be the name of a column",
        ),
        (
            lambda: attribute_clicks(SHOWN[:1], SHOWN.assign(item=[9, 7], time=9)),
            r"got 2 that do not \(1 of them before .*rows 0, 1",
        ),
    ],
)
def test_other_calls_refuse(call, message):
    with pytest.raises(InputError, match=message):
        call()
