"""The panel of sliders beside the picture, with pygame-menu."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .sliders import Slider

if TYPE_CHECKING:
    from .screen import Screen

WIDTH = 300  # pixels
NAME, LINE = 120, 100  # of a name and of a slider's line, pixels
SIZE = 13  # of letters, pixels
LETTERS = 16  # of a name that are shown
EVERY = 0.1  # s between looks at how things are
NOTCH = 0.1  # of the way that the wheel scrolls
INK, DIM, BACK, KNOB = (255, 255, 255), (170, 180, 190), (15, 20, 30), (200, 210, 220)
FACE = (60, 75, 95)  # of buttons


class Panel:
    """Sliders and buttons at the right of a window.

    Args:
        screen: the window.
        sections: rows of sliders below their headings.
        buttons: words of buttons, and what they do, below the first heading.
        changed: called after a slider or a button has done something.
    """

    def __init__(
        self, screen: "Screen", sections: dict[str, list[Slider]],
        buttons: dict[str, Callable[[], object]], changed: Callable[[], object],
    ):  # fmt: skip
        self._screen, self._changed = screen, changed
        self.size = screen.size
        self._menu, self._font = _menu(screen.pygame, self.size)
        self._sliders: list[tuple[Any, Slider]] = []
        self._buttons: list[Any] = []
        for heading, sliders in sections.items():
            self._menu.add.label(heading, font_color=INK)
            for words, act in buttons.items() if not self._buttons else ():
                button = self._menu.add.button(
                    words, self._act(act), font_color=INK, background_color=FACE, margin=(0, 2)
                )
                self._buttons.append(button)
            self._sliders += [(self._slider(slider), slider) for slider in sliders]
        self._held: Any = None
        self._events: list[Any] = []  # what the widget that is held has not heard of
        self._looked = -np.inf

    def _slider(self, slider: Slider) -> Any:
        """A slider in its row."""
        name = slider.name if len(slider.name) <= LETTERS else slider.name[: LETTERS - 1] + "…"
        return self._menu.add.range_slider(
            name, _within(slider, slider.get()), (slider.low, slider.high),
            (slider.high - slider.low) / 100, onchange=self._act(slider.set), width=LINE,
            range_text_value_enabled=False, slider_text_value_enabled=False,
            range_text_value_tick_enabled=False, slider_thickness=9, slider_height_factor=0.7,
            range_line_color=DIM, slider_color=KNOB, slider_selected_color=INK,
            range_margin=(max(4, NAME - self._font.size(name)[0]), 0),  # all in the same column
        )  # fmt: skip

    def _act(self, act: Callable[..., object]) -> Callable[..., None]:
        """Do something, and say that it was done."""

        def acted(*arguments: Any) -> None:
            act(*arguments)
            self._looked = -np.inf
            self._changed()

        return acted

    # ------------------------------------------------------------ events

    def takes(self, place: tuple[int, int]) -> bool:
        """True if a pixel (column, row) is the panel's, or something of it is held."""
        return self._held is not None or place[0] >= self.size[0] - WIDTH

    def event(self, event: Any) -> None:
        """Obey an event of the mouse."""
        pygame = self._screen.pygame
        if event.type == pygame.MOUSEWHEEL:
            self._scroll(-NOTCH * event.y)
            return
        left = getattr(event, "button", 1) == 1
        if event.type == pygame.MOUSEBUTTONDOWN and left:
            self.hand_on()
            self._held = self._at(event.pos)
            if self._held is not None:
                self._menu.select_widget(self._held)
        if left:
            self._events.append(event)
        if event.type == pygame.MOUSEBUTTONUP and left:
            self.hand_on()
            self._held = None

    def hand_on(self) -> None:
        """Let the widget that is held act on its events; at once, for each call may wait."""
        events, self._events = self._events, []
        if self._held is not None and events:
            from pygame_menu.widgets.core.widget import check_widget_mouseleave

            self._held.update(events)
            # the library remembers for all menus what the mouse is over; menus may be gone then
            check_widget_mouseleave(force=True)
            self._changed()

    def _at(self, place: tuple[int, int]) -> Any:
        """The widget at a pixel, or None."""
        widgets = (*self._buttons, *(widget for widget, _ in self._sliders))
        found = (w for w in widgets if w.get_rect(to_real_position=True).collidepoint(*place))
        return next(found, None)

    def _scroll(self, way: float) -> None:
        """Show what is further down."""
        from pygame_menu.locals import ORIENTATION_VERTICAL

        area = self._menu.get_scrollarea()
        if area.get_world_size()[1] > self.size[1]:
            now = area.get_scroll_value_percentage(ORIENTATION_VERTICAL)
            area.scroll_to(ORIENTATION_VERTICAL, min(max(now + way, 0.0), 1.0))
            self._changed()

    # ------------------------------------------------------------ pictures

    def draw(self, now: float) -> None:
        """Draw the panel over the picture; sliders follow what they show.

        Args:
            now: the time, s.
        """
        surface = self._screen.pygame.display.get_surface()
        if now - self._looked >= EVERY:
            self._looked = now
            for widget, slider in self._sliders:
                value = _within(slider, slider.get())
                if widget is not self._held and widget.get_value() != value:
                    widget.set_value(value)
        self._menu.draw(surface)
        for widget, slider in self._sliders:
            row = widget.get_rect(to_real_position=True)
            if row.width:  # is seen
                words = f"{round(slider.get(), 3) + 0.0:.4g}"  # no -0
                self._screen.word(words, (self.size[0] - 62, row.y + 1))


def _within(slider: Slider, value: float) -> float:
    """A value that a slider can show."""
    return float(np.clip(np.nan_to_num(value), slider.low, slider.high))


def _menu(pygame: Any, size: tuple[int, int]) -> tuple[Any, Any]:
    """An empty menu at the right edge, and its font."""
    # the library makes sounds, and insists on a device for them
    wishes = {"PYGAME_MENU_HIDE_VERSION": "1", "SDL_AUDIODRIVER": "dummy"}
    if pygame.mixer and pygame.mixer.get_init():
        del wishes["SDL_AUDIODRIVER"]
    before = {name: os.environ.get(name) for name in wishes}
    os.environ.update(wishes)
    try:
        pygame.init()
        import pygame_menu.font
        import pygame_menu.locals
        from pygame_menu.widgets.selection.none import NoneSelection
        from pygame_menu.widgets.widget.menubar import MENUBAR_STYLE_NONE
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
    # a menu without title, borders or sounds
    theme = pygame_menu.Theme(
        background_color=BACK, title=False,
        title_bar_style=MENUBAR_STYLE_NONE,
        widget_font=pygame_menu.font.FONT_OPEN_SANS, widget_font_size=SIZE, widget_font_color=DIM,
        selection_color=INK, widget_alignment=pygame_menu.locals.ALIGN_LEFT,
        widget_padding=(0, 6), widget_margin=(0, 0), widget_cursor=None,
        widget_selection_effect=NoneSelection(),
        scrollarea_position=pygame_menu.locals.POSITION_EAST, scrollbar_thick=8,
        scrollbar_color=BACK, scrollbar_slider_color=DIM,
    )  # fmt: skip
    width, height = size
    menu = pygame_menu.Menu(
        "", min(WIDTH, width), height, theme=theme, position=(100, 0), center_content=False,
        keyboard_enabled=False, joystick_enabled=False, overflow=(False, True),
    )  # fmt: skip
    return menu, pygame.font.Font(pygame_menu.font.FONT_OPEN_SANS, SIZE)
