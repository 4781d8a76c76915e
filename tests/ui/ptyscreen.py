# SPDX-License-Identifier: GPL-3.0-or-later
"""A pseudo-terminal of our own: what a program writes to it, and the screen that this makes.

tmux shows what a screen became.  This shows how: which bytes were written, what was cleared on the way,
and which characters were wiped out and written again, which a person sees as blinking."""
import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

DEADLINE_S = 60
NORMAL = (False, None)
UPDATE = "2026"		# the private mode of synchronized updates
TOKEN = re.compile(r"\x1b\[([?!>]?)([0-9;]*\$?)([@-~])|\x1b[()]([0-9A-Za-z])|\x1b([A-Za-z78=>])|([^\x1b])|"
                   r"\x1b\][^\x07\x1b]*\x07",	# colours, which are set back after a stop
                   re.DOTALL)


class Screen:
    """The cells of a terminal of type xterm: (character, reverse, colour).  What was written since forget() is
    `seen`, and `blinked` lists the row, column and character of each that was wiped out and written again.
    `updates` are the synchronized updates that ended, `outside` the cells that changed in none.  `asked`: the
    program wants to know if there are any."""

    def __init__(self, columns, rows):
        self.updating = self.asked = False
        self.resize(columns, rows)
        self.forget()

    def resize(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.cells = [[(" ", *NORMAL)] * columns for _ in range(rows)]
        self.top, self.bottom = 0, rows - 1
        self.row = self.column = 0
        self.style, self.last, self.rest = NORMAL, " ", ""

    def forget(self):
        """Counts anew from here on."""
        self.bytes = self.clears = self.written = self.changed = self.updates = self.outside = 0
        self.blinked = []
        self.wiped = {}
        self.seen = ""

    def lines(self):
        return ["".join(cell[0] for cell in row).rstrip() for row in self.cells]

    def text(self):
        return "\n".join(self.lines())

    def selected(self):
        """What is shown in reverse video without a colour."""
        return "\n".join("".join(cell[0] for cell in row if cell[1:] == (True, None)).rstrip()
                         for row in self.cells if any(c[1:] == (True, None) for c in row))

    def put(self, row, column, cell):
        before = self.cells[row][column]
        place = (row, column)
        self.cells[row][column] = cell
        self.written += 1
        self.changed += before != cell
        self.outside += before != cell and not self.updating
        if before[0] != " " and cell[0] == " ":
            self.wiped[place] = before[0]
        elif self.wiped.pop(place, None) == cell[0]:
            self.blinked.append((*place, cell[0]))

    def erase(self, row, start, end):
        for column in range(start, end):
            self.put(row, column, (" ", *NORMAL))

    def character(self, c):
        if self.column >= self.columns:
            self.line_feed()
            self.column = 0
        self.put(self.row, self.column, (c, *self.style))
        self.column += 1
        self.last = c

    def scroll(self, lines):
        """Up by LINES, down when that is below 0."""
        region = self.cells[self.top:self.bottom + 1]
        for _ in range(abs(lines)):
            blank = [(" ", *NORMAL)] * self.columns
            region = region[1:] + [blank] if lines > 0 else [blank] + region[:-1]
        self.cells[self.top:self.bottom + 1] = region

    def line_feed(self):
        if self.row == self.bottom:
            self.scroll(1)
        else:
            self.row += 1

    def control(self, c):
        if c == "\r":
            self.column = 0
        elif c == "\n":
            self.line_feed()
        elif c == "\b":
            self.column = max(self.column - 1, 0)
        elif c == "\t":
            self.column = min((self.column // 8 + 1) * 8, self.columns - 1)

    def colours(self, numbers):
        reverse, colour = self.style
        at = 0
        while at < len(numbers):
            n = numbers[at]
            if n == 0:
                reverse, colour = NORMAL
            elif n in (7, 27):
                reverse = n == 7
            elif n in (38, 48):
                colour = numbers[at + 2] if n == 38 else colour
                at += 2
            elif 30 <= n <= 37 or 90 <= n <= 97:
                colour = n
            elif n == 39:
                colour = None
            at += 1
        self.style = (reverse, colour)

    def display_erased(self, how):
        whole = how >= 2 or (self.row, self.column) == (0, 0)
        self.clears += whole
        for row in range(0 if whole else self.row, self.rows):
            self.erase(row, self.column if row == self.row and not whole else 0, self.columns)

    def sequence(self, numbers, final):
        n = numbers[0] if numbers else 0
        one = max(n, 1)
        row = self.cells[self.row]
        if final == "H":
            self.row = min(one, self.rows) - 1
            self.column = min(max(numbers[1] if len(numbers) > 1 else 1, 1), self.columns) - 1
        elif final == "d":
            self.row = min(one, self.rows) - 1
        elif final == "G":
            self.column = min(one, self.columns) - 1
        elif final in "ABCD":
            self.row = min(max(self.row + {"A": -one, "B": one}.get(final, 0), 0), self.rows - 1)
            self.column = min(max(self.column + {"D": -one, "C": one}.get(final, 0), 0),
                              self.columns - 1)
        elif final == "K":
            self.erase(self.row, 0 if n else self.column, self.column + 1 if n == 1 else self.columns)
        elif final == "J":
            self.display_erased(n)
        elif final == "X":
            self.erase(self.row, self.column, min(self.column + one, self.columns))
        elif final == "P":
            row[self.column:] = row[self.column + one:] + [(" ", *NORMAL)] * one
            del row[self.columns:]
        elif final == "@":
            row[self.column:self.column] = [(" ", *NORMAL)] * one
            del row[self.columns:]
        elif final in "LM":
            top, self.top = self.top, self.row
            self.scroll(one if final == "M" else -one)
            self.top = top
        elif final in "ST":
            self.scroll(one if final == "S" else -one)
        elif final == "r":
            # What was on its way when the terminal shrank is of a larger one.
            self.top = min(one, self.rows) - 1
            self.bottom = min(numbers[1] if len(numbers) > 1 else self.rows, self.rows) - 1
        elif final == "b":
            for _ in range(one):
                self.character(self.last)
        elif final == "m":
            self.colours(numbers or [0])

    def private(self, mode, final):
        if mode == UPDATE + "$" and final == "p":
            self.asked = True
        elif mode == UPDATE:
            self.updates += self.updating and final == "l"
            self.updating = final == "h"

    def feed(self, text):
        self.rest += text
        self.seen += text
        at = 0
        while at < len(self.rest):
            token = TOKEN.match(self.rest, at)
            if not token:
                break		# the rest of it is still to come
            private, numbers, final, _, short, c = token.groups()
            if final and not private:
                self.sequence([int(n or 0) for n in numbers.split(";")] if numbers else [], final)
            elif private == "?":
                self.private(numbers, final)
            elif short == "M":
                self.scroll(-1) if self.row == self.top else None
            elif c and c < " ":
                self.control(c)
            elif c:
                self.character(c)
            at = token.end()
        self.rest = self.rest[at:]


class Program:
    """A command on a pseudo-terminal.  MODE is what the terminal answers to the question for synchronized updates, from
    0, not known, to 4; None: nothing."""

    def __init__(self, command, columns=80, rows=24, mode=None, **env):
        self.mode = mode
        self.screen = Screen(columns, rows)
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8", **env)
            os.environ.pop("LINES", None)
            os.environ.pop("COLUMNS", None)
            os.read(0, 1)	# until the size is set
            os.execvp(command[0], command)
        self.size(columns, rows)
        os.write(self.fd, b"\n")

    def size(self, columns, rows):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, columns, rows):
        """What is on its way for the old size is taken for the old one, as far as it is there."""
        self.read(0)
        self.screen.resize(columns, rows)
        self.size(columns, rows)

    def read(self, timeout_s):
        """Whether something came within that time.  What comes after a rest is another refresh."""
        if not select.select([self.fd], [], [], 0)[0]:
            self.screen.wiped.clear()
        if not select.select([self.fd], [], [], timeout_s)[0]:
            return False
        try:
            data = os.read(self.fd, 1 << 16)
        except OSError:
            return False
        self.screen.bytes += len(data)
        self.screen.feed(self.decoder.decode(data))
        if self.screen.asked and self.mode is not None:
            self.screen.asked = False
            self.keys(f"\x1b[?{UPDATE};{self.mode}$y")
        return True

    def wait(self, condition, what="a condition"):
        """Reads until CONDITION of the screen holds, at most for the deadline."""
        end_s = time.monotonic() + DEADLINE_S
        while not condition(self.screen):
            if time.monotonic() > end_s:
                raise AssertionError(f"{what} is not on the screen:\n{self.screen.text()}")
            self.read(0.1)

    def wait_for(self, pattern, absent=None):
        self.wait(lambda s: re.search(pattern, s.text(), re.MULTILINE) and
                  not (absent and re.search(absent, s.text(), re.MULTILINE)), repr(pattern))

    def keys(self, text):
        os.write(self.fd, text.encode())

    def click(self, row, column, times=1):
        """The first button, pressed and let go at the cell, as xterm reports it.  All in one piece: on a busy machine a
        second click would come too late."""
        self.keys(f"\x1b[<0;{column + 1};{row + 1}M\x1b[<0;{column + 1};{row + 1}m" * times)

    def status(self):
        """Reads until the program has ended, at most for the deadline; its exit status."""
        end_s = time.monotonic() + DEADLINE_S
        while True:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
            if time.monotonic() > end_s:
                raise AssertionError(f"it has not ended:\n{self.screen.text()}")
            self.read(0.02)

    def close(self):
        try:
            os.kill(self.pid, signal.SIGTERM)
            end_s = time.monotonic() + DEADLINE_S
            while not os.waitpid(self.pid, os.WNOHANG)[0]:
                self.read(0.02)
                if time.monotonic() > end_s:
                    os.kill(self.pid, signal.SIGKILL)
        except (ProcessLookupError, ChildProcessError):
            pass
        os.close(self.fd)
