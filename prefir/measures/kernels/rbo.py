"""Rank-biased overlap from the depths at which shared items join, and compatibility of many runs."""

import numpy as np
from numba import njit


@njit
def add_joins(joins, last, worth, values):
    """RBO into values (persistences,), from how many items join at each depth up to `last`; clears joins.

    In the order of depths whatever the order of items, so that two ways to one overlap give one float.
    The terms' roundings may pass 1.
    """
    for joined in range(1, last + 1):
        if joins[joined]:
            for p in range(worth.shape[0]):
                values[p] += joins[joined] * worth[p, joined]
            joins[joined] = 0
    for p in range(worth.shape[0]):
        values[p] = min(values[p], 1.0)


@njit(cache=True, nogil=True)
def rbo_of_depths(depths, worth):
    """RBO (persistences,) from the depth (shared items,) at which each item of both lists joins."""
    values = np.zeros(worth.shape[0])
    joins = np.zeros(worth.shape[1], np.int32)
    last = 0
    for joined in depths:
        if joined < joins.size:
            joins[joined] += 1
            last = max(last, joined)
    add_joins(joins, last, worth, values)
    return values


@njit(cache=True, nogil=True)
def level_rows(group, starts, rows, worth):
    """RBO (runs, persistences) of rankings (runs, ranks) with the ideal rankings that levels allow.

    group (items,): the number of each item's level, 0 for the highest, -1 for none. starts (levels,): how
    many items have a higher level. rows: items, -1 for unjudged ones. An item of the ideal that the run
    lacks joins nowhere, so only ranked items need a place. Raises IndexError for other numbers. Time
    grows with the ranks.
    """
    runs, ranks = rows.shape
    values = np.zeros((runs, worth.shape[0]))
    joins = np.zeros(worth.shape[1], np.int32)
    following = np.empty_like(starts)
    for run in range(runs):
        following[:] = starts
        last = 0
        for at in range(ranks):
            item = rows[run, at]
            if item < -1 or item >= group.size:
                raise IndexError("a row numbers an item that is not there")
            if item >= 0 and group[item] >= 0:
                joined = 1 + max(at, following[group[item]])
                following[group[item]] += 1
                if joined < joins.size:
                    joins[joined] += 1
                    last = max(last, joined)
        add_joins(joins, last, worth, values[run])
    return values
