"""Calls in another process: a call that never ends or crashes does not affect the tests."""

import math
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from multiprocessing import get_context

from receval import EvaluationWarning, InputError, evaluate

try:
    import resource
except ImportError:  # Windows; a call that never ends is not ended there
    resource = None

SECONDS = 5  # of processor time: what no small file may take
ROOM = 4 << 30  # bytes: what asks for more fails


def value_or_input_error(function, *arguments, **options):
    """Return the result of a call, or None for an `InputError`; raise any other error."""
    task = process().submit(_limited, SECONDS, function, arguments, options)
    try:
        value, refused = task.result()
    except BrokenProcessPool:
        process.cache_clear()  # the next call has a new one
        raise AssertionError(
            f"it took more than {SECONDS} seconds of processor time, or its process down"
        ) from None
    assert not refused or " must " in refused, refused
    return value


def counts_and_means(recommendations, relevance, measures):
    """Return counts and means of an evaluation, which can't be sent between processes itself."""
    found = evaluate(recommendations, relevance, measures, progress=False)
    return found.counts, found.summary


@cache
def process():
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_prepare)


def _prepare():
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_DATA, (ROOM, ROOM))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", EvaluationWarning)  # damaged tables may share no item


def _limited(seconds, function, arguments, options):
    """Return the value and None, or None and the text of the refusal."""
    if resource is not None:
        _, most = resource.getrlimit(resource.RLIMIT_CPU)
        limit = math.ceil(time.process_time()) + seconds
        # At this limit the system ends the process.
        resource.setrlimit(resource.RLIMIT_CPU, (limit, most))
    try:
        return function(*arguments, **options), ""
    except InputError as error:
        return None, str(error)
