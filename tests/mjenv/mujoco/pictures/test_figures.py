"""Plots of lines: ranges, ticks, what is drawn where."""

import numpy as np
import pytest

from mjenv.mujoco.pictures.figures import ranges, subtitle, tick_text


def figure_of(w, **settings):
    figure = w.mujoco.MjvFigure()
    w.mujoco.mjv_defaultFigure(figure)
    time = np.linspace(0, 6, 200)
    for n, values in enumerate((37 * np.sin(time), 37 * np.cos(time))):
        figure.linepnt[n] = 200
        figure.linedata[n][:400] = np.stack([time, values], -1).ravel()
        figure.linename[n] = ("sine", "cosine")[n]
    for name, value in settings.items():
        setattr(figure, name, value)
    return figure


def drawn(w, figure, *place):
    con = w.mujoco.MjrContext(w.m, 100)
    rect = w.mujoco.MjrRect(*(place or (330, 140, 300, 250)))
    w.mujoco.mjr_figure(rect, figure, con)
    rgb = np.zeros((480, 640, 3), np.uint8)
    w.mujoco.mjr_readPixels(rgb, None, w.mujoco.MjrRect(0, 0, 640, 480), con)
    return rgb


def test_layout_is_that_of_the_reference(w):
    figure = figure_of(w, title="Sine and cosine", xlabel="time (s)", gridsize=[5, 5])
    rgb = drawn(w, figure)
    assert list(figure.xaxisdata) == [0, 6]
    assert list(figure.yaxisdata) == [-40, 40]
    assert list(figure.yaxispixel) == [198, 353]
    assert figure.xaxispixel[1] == 620
    # the lines are where they should be
    left, right = figure.xaxispixel
    low, high = figure.yaxispixel
    for n, value in ((0, 37 * np.sin(1.5)), (1, 37 * np.cos(1.5))):
        column = round(left + 1.5 / 6 * (right - left))
        row = round(low + (value + 40) / 80 * (high - low))
        part = rgb[row - 2 : row + 3, column].astype(int)
        assert np.abs(part - np.rint(255 * figure.linergb[n])).sum(-1).min() < 30
    assert not rgb[:140].any()
    assert not rgb[:, :330].any()


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, ([0, 6], [-40, 40])),
        ({"range": [[0, 3], [-1, 1]], "flg_extend": 0}, ([0, 3], [-1, 1])),
        ({"range": [[-2, 3], [-100, 1]]}, ([-2, 6], [-100, 100])),
        (
            {"range": [[0, 1], [-30, 90]], "flg_extend": 0, "flg_symmetric": 1},
            ([0, 1], [-100, 100]),
        ),
    ],
)  # fmt: skip
def test_ranges(w, settings, expected):
    figure = figure_of(w, **{"range": [[1, -1], [1, -1]], **settings})
    np.testing.assert_allclose(ranges(figure), expected, rtol=1e-6)


def test_ranges_without_points(w):
    figure = figure_of(w, range=[[1, 1], [1, 1]], linepnt=0)
    low, high = ranges(figure)[0]
    assert 0 < high - low < 1e-4
    figure = figure_of(w, range=[[1, -1], [1, -1]])
    figure.linedata[0][3] = np.nan
    figure.linedata[0][5] = np.inf
    np.testing.assert_allclose(ranges(figure), [[0, 6], [-40, 40]])


def test_points_that_are_no_numbers_interrupt_lines(w):
    figure = figure_of(w, flg_legend=0, gridsize=[0, 0])
    figure.linepnt[1] = 0
    whole = (drawn(w, figure)[..., 0] > 100).sum()
    figure.linedata[0][100:200] = np.nan
    part = (drawn(w, figure)[..., 0] > 100).sum()
    assert 0.6 * whole < part < 0.9 * whole


@pytest.mark.parametrize(
    ("form", "number", "expected"),
    [
        ("%.2f", 1.5, "1.5"), ("%.2f", 2.0, "2"), ("%.0f", 20.0, "20"), ("%.2g", 0.001, "0.001"),
        ("%.2f", 10.25, "10.25"), ("%d", 100, "100"),
    ],
)  # fmt: skip
def test_ticks(form, number, expected):
    assert tick_text(form, number) == expected


def test_titles_of_subplots():
    text = "first one  second   third"
    titles = []
    for number in range(4):
        start, length = subtitle(text, number)
        titles.append(text[start : start + length])
    assert titles == ["first one", "second", "third", ""]


def test_legend_bars_selection(w):
    plain = drawn(w, figure_of(w, flg_legend=0))
    legend = drawn(w, figure_of(w))
    assert (plain != legend).any()
    right = (plain != legend).any((0, 2)).nonzero()[0]
    assert right.min() > 480
    bars = drawn(w, figure_of(w, flg_barplot=1, flg_legend=0))
    assert bars.any()
    selected = drawn(w, figure_of(w, flg_selection=1, selection=3.0, flg_legend=0))
    assert (selected[200:350, :, :].min(-1) > 200).any(0).sum() >= 2
    broad = drawn(w, figure_of(w, flg_legend=0, highlightid=0))
    red = [((p[..., 0] > 150) & (p[..., 1] < 100)).sum() for p in (plain, broad)]
    assert red[1] > 3 * red[0]
    # the mouse on a name in the legend does so too
    pointed = drawn(w, figure_of(w, highlight=[600, 365]))
    assert (pointed != legend).any()


def test_tiny_and_empty(w):
    figure = figure_of(w, title="t", xlabel="x")
    assert not drawn(w, figure, 0, 0, 0, 10).any()
    drawn(w, figure, 0, 0, 10, 10)
    assert not drawn(w, figure, -100, -100, 90, 90).any()
