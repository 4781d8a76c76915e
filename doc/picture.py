# SPDX-License-Identifier: GPL-3.0-or-later
"""Screens of ptyscreen.Screen as one SVG that shows them one after the other, for ever.

It has no script.  Where motion is not wanted (prefers-reduced-motion) the first screen stays."""
import html
import itertools

CELL = (8, 18)  # width and height, in pixels
SECONDS = 4  # a screen
GROUND, TEXT, DIM = "#101418", "#d8dee9", "#7f8a99"
ANSI = ("#101418", "#d75f5f", "#87d787", "#ffd75f", "#5fafff", "#d787d7", "#5fd7ff", "#d8dee9",
        "#7f8a99", "#ff5f5f", "#87d787", "#ffd75f", "#5fafff", "#d787d7", "#5fd7ff", "#ffffff")
STEPS = (0, 95, 135, 175, 215, 255)
STYLE = """
.s{{visibility:hidden;animation:turn {all}s step-end infinite}}
.s:first-of-type{{visibility:visible}}
@keyframes turn{{0%{{visibility:visible}}{part:.4f}%{{visibility:hidden}}100%{{visibility:hidden}}}}
@media (prefers-reduced-motion:reduce){{.s{{animation:none}}}}
text{{font-family:ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;font-size:13px;white-space:pre}}
"""


def rgb(number):
    """The colour of a number that a program writes: 30 to 37 and 90 to 97, or one of 256."""
    if number is None:
        return TEXT
    if 30 <= number <= 37 or 90 <= number <= 97:
        return ANSI[number - 30 if number < 90 else number - 82]
    if number < 16:
        return ANSI[number]
    if number >= 232:
        return "#" + f"{8 + 10 * (number - 232):02x}" * 3
    number -= 16
    return "#" + "".join(f"{STEPS[n]:02x}" for n in (number // 36, number // 6 % 6, number % 6))


def row_of(cells, top):
    """The runs of cells that look alike."""
    width, height = CELL
    at = 0
    for (reverse, colour), run in itertools.groupby(cells, key=lambda cell: cell[1:]):
        text = "".join(cell[0] for cell in run)
        left, size = at * width, len(text) * width
        at += len(text)
        if reverse:
            yield f'<rect x="{left}" y="{top}" width="{size}" height="{height}" fill="{rgb(colour)}"/>'
        if text.strip():
            fill = GROUND if reverse else rgb(colour)
            yield (f'<text x="{left}" y="{top + height - 5}" textLength="{size}" fill="{fill}">'
                   f'{html.escape(text, quote=False)}</text>')


def picture(screens):
    """SCREENS are pairs of a line about the screen, and its cells."""
    rows, columns = len(screens[0][1]), len(screens[0][1][0])
    width, height = columns * CELL[0] + 20, (rows + 2) * CELL[1] + 10
    whole = SECONDS * len(screens)
    style = STYLE.format(all=whole, part=100 / len(screens))
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
           f'xml:space="preserve" viewBox="-10 -10 {width} {height}"><style>{style}</style>'
           f'<rect x="-10" y="-10" width="{width}" height="{height}" rx="8" fill="{GROUND}"/>')
    for i, (title, cells) in enumerate(screens):
        delay = (i - len(screens)) * SECONDS
        yield f'<g class="s" style="animation-delay:{delay if i else 0}s">'
        for row, line in enumerate(cells):
            yield from row_of(line, row * CELL[1])
        yield (f'<text x="0" y="{(rows + 1) * CELL[1] + 6}" fill="{DIM}">{html.escape(title, quote=False)}</text></g>')
    yield "</svg>\n"
