"""Pieces of memory that are copied and compared together."""

import numpy as np

from mjenv.engine.run.spans import Copies, Span


def test_pieces_that_differ_are_told():
    real, whole, rows = np.arange(5.0), np.arange(3, dtype=np.int32), np.ones((4, 3))
    length = np.array([2], np.int32)
    copies = Copies([Span(real), Span(whole), Span(rows, length), Span(np.zeros(0))])
    copies.copy()
    assert copies.differing() == []
    real[4], rows[1, 2] = np.nan, 2.0
    assert copies.differing() == [0, 2]
    copies.copy()
    whole[2] = -1
    assert copies.differing() == [1]


def test_rows_behind_the_length_do_not_count():
    rows, length = np.ones((4, 3)), np.array([2], np.int32)
    copies = Copies([Span(rows, length)])
    copies.copy()
    rows[2:] = 5.0
    assert not copies.differing()
    # a length that is too large or below 0 stays inside the array
    for number, found in ((9, [0]), (-1, []), (3, [0])):
        length[0] = number
        assert copies.differing() == found


def test_zeros_of_both_signs_differ():
    zero = np.zeros(2)
    copies = Copies([Span(zero)])
    copies.copy()
    zero[1] = -0.0
    assert copies.differing() == [0]
