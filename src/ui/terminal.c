/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "ui/key-code.h"

#include <term.h> /* included last: it makes macros of many words */

#define ESC_DELAY_MS 25 /* how long an Esc may be the start of a key */

/*
 * The state that a signal handler needs to restore the terminal.  A handler gets no pointer, so
 * this state alone belongs to no struct.  `taken` is set last and cleared first.
 */
static struct {
	volatile sig_atomic_t taken;
	struct termios before;
	char leave[256]; /* bytes to write: cursor, keypad, colours, alternate screen */
	size_t leave_size;
} rescue;

/*
 * Presses only.  If clicks are requested, too, curses reports two presses in one piece as a double
 * click, even at different places.
 */
#define MOUSE_EVENTS (BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED)
#define MOUSE_OFF "\033[?1000l\033[?1006l"

/* NULL: the terminal has no such string, or one with delays, which no living terminal has. */
static const char *capability(const char *name)
{
	const char *s = tigetstr(name);

	return s && s != (char *)-1 && !strstr(s, "$<") ? s : NULL;
}

static void rescue_text(const char *s)
{
	size_t size = strlen(s);

	if (rescue.leave_size + size > sizeof(rescue.leave))
		return;
	memcpy(rescue.leave + rescue.leave_size, s, size);
	rescue.leave_size += size;
}

static void rescue_add(const char *name)
{
	const char *s = capability(name);

	if (s)
		rescue_text(s);
}

static void rescue_prepare(const struct termios *before)
{
	rescue.leave_size = 0;
	rescue_add("sgr0");
	rescue_add("op");
	rescue_add("rmkx");
	rescue_add("cnorm");
	rescue_add("rmcup");
	rescue.before = *before;
	rescue.taken = 1;
}

void terminal_emergency_restore(void)
{
	int saved = errno;

	if (rescue.taken) {
		rescue.taken = 0;
		if (write(STDOUT_FILENO, rescue.leave, rescue.leave_size) < 0)
			errno = saved; /* nobody is left to read a message */
		tcsetattr(STDIN_FILENO, TCSANOW, &rescue.before);
	}
	errno = saved;
}

static const int curses_signals[] = { SIGINT, SIGTERM, SIGTSTP, SIGWINCH };
#define CURSES_SIGNALS (sizeof(curses_signals) / sizeof(*curses_signals))

static void ignore_signal(int number)
{
	(void)number;
}

/*
 * A second descriptor of the terminal, for reading without ever blocking.  curses waits for the
 * rest of a mouse report however long it takes.  So a person who types its first bytes would stop
 * the program, signals included.
 *
 * Standard input itself keeps its flags, because the shell shares it.  It is used if the terminal
 * cannot be opened again.
 */
static FILE *input_open(void)
{
	char name[64];
	int fd;
	FILE *f;

	if (ttyname_r(STDIN_FILENO, name, sizeof(name)))
		return stdin;
	fd = open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return stdin;
	f = fdopen(fd, "r");
	if (f)
		return f;
	close(fd);
	return stdin;
}

static void input_close(FILE *f)
{
	if (f && f != stdin)
		fclose(f);
}

/*
 * newterm() takes over signals that have their default action.  Here all signals come by a
 * descriptor, so they are made to look taken while newterm() runs; it remembers this for good.
 */
static SCREEN *open_screen(FILE *input)
{
	struct sigaction before[CURSES_SIGNALS], taken = { .sa_handler = ignore_signal };
	SCREEN *screen;

	for (size_t i = 0; i < CURSES_SIGNALS; i++)
		sigaction(curses_signals[i], &taken, &before[i]);
	screen = newterm(NULL, stdout, input);
	for (size_t i = 0; i < CURSES_SIGNALS; i++)
		sigaction(curses_signals[i], &before[i], NULL);
	return screen;
}

/* Checked before newterm(), which leaks its memory on an unknown terminal. */
static bool terminal_is_usable(void)
{
	const char *cup;
	int status;

	if (setupterm(NULL, STDOUT_FILENO, &status) != OK)
		return false;
	cup = tigetstr("cup");
	del_curterm(cur_term);
	return cup && cup != (char *)-1;
}

static int refuse_terminal(struct error *err)
{
	const char *name = getenv("TERM");

	if (!name || !*name)
		return error_set(err, _("TERM is not set: set it to the type of this terminal, or "
					"use -b"));
	return error_set(err,
			 _("terminal type '%s' cannot show a full screen: set TERM to the type "
			   "of this terminal, or use -b"),
			 name);
}

bool terminal_writable(void)
{
	struct pollfd line = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return poll(&line, 1, 0) > 0;
}

static void write_now(const char *s)
{
	fputs(s, stdout);
	fflush(stdout);
}

/*
 * Makes the terminal mark pasted text, or not.  Its strings for that are user-defined capabilities
 * of terminfo: BE and BD switch it on and off, PS and PE are around the text (user_caps(5)).
 */
static void mark_pastes(bool on)
{
	const char *s = capability(on ? "BE" : "BD");

	if (!s || !capability("PS") || !capability("PE") || !terminal_writable())
		return;
	write_now(s);
}

static void paste_prepare(void)
{
	if (!capability("BD") || !capability("PS") || !capability("PE"))
		return;
	define_key(capability("PS"), KEY_PASTE - (int)KEY_SPECIAL);
	define_key(capability("PE"), KEY_PASTED - (int)KEY_SPECIAL);
	rescue_add("BD");
	mark_pastes(true);
}

/*
 * Cursor keys as a terminal sends them that does not obey application mode (xterm's ctlseqs, "PC-Style Function Keys").
 * Without them Esc and [ would be taken for two keys.
 */
static void define_arrows(void)
{
	static const struct {
		const char *bytes;
		int key;
	} arrows[] = { { "\033[A", KEY_UP },   { "\033[B", KEY_DOWN }, { "\033[C", KEY_RIGHT },
		       { "\033[D", KEY_LEFT }, { "\033[H", KEY_HOME }, { "\033[F", KEY_END } };

	for (size_t i = 0; i < sizeof(arrows) / sizeof(*arrows); i++) {
		if (!key_defined(arrows[i].bytes))
			define_key(arrows[i].bytes, arrows[i].key);
	}
}

/*
 * DEC private mode 2026: a terminal that has it shows nothing between begin and end of an update.  DECRQM asks for
 * the mode's state, and the answer comes as a key (xterm's ctlseqs, "Request DEC private mode").
 */
#define UPDATE_BEGIN "\033[?2026h"
#define UPDATE_END "\033[?2026l"
#define UPDATE_QUESTION "\033[?2026$p"
#define UPDATE_ANSWER "\033[?2026;%d$y"
enum { ANSWER_SET = 1, ANSWER_RESET = 2, ANSWERS = 5 };
#define KEY_ANSWER ((int)(KEY_PASTED - KEY_SPECIAL) + 1) /* and those after it */
#define ANSWER_NS NS_PER_S /* later the answer is not on its way any more */

/*
 * Asks only a terminal whose alternate screen is a private mode, too: others might show the question.  The first
 * refresh clears whatever one of them shows.
 */
static void ask_for_updates(struct terminal *t)
{
	const char *alternate = capability("smcup");

	if (!alternate || strncmp(alternate, "\033[?", 3) != 0)
		return;
	for (int state = 0; state < ANSWERS; state++) {
		char answer[sizeof(UPDATE_ANSWER)];

		snprintf(answer, sizeof(answer), UPDATE_ANSWER, state);
		define_key(answer, KEY_ANSWER + state);
	}
	putp(UPDATE_QUESTION); /* behind what starts the alternate screen */
	t->asked_ns = clock_monotonic_ns(&clock_system);
}

/* Returns true if KEY is an answer.  A mode that is always set or always reset is of no use. */
static bool take_answer(struct terminal *t, wint_t key)
{
	int state = (int)key - KEY_ANSWER;

	if (state < 0 || state >= ANSWERS)
		return false;
	t->asked_ns = 0;
	if (!t->updates && (state == ANSWER_SET || state == ANSWER_RESET)) {
		t->updates = true;
		rescue_text(UPDATE_END);
	}
	return true;
}

/* An answer that is still on its way is nothing for the shell. */
static bool answer_is_missing(const struct terminal *t)
{
	return t->asked_ns && clock_monotonic_ns(&clock_system) - t->asked_ns < ANSWER_NS;
}

void terminal_refresh(const struct terminal *t)
{
	if (t->updates)
		write_now(UPDATE_BEGIN);
	refresh();
	if (t->updates)
		write_now(UPDATE_END);
}

int terminal_open(struct terminal *t, bool mouse, struct error *err)
{
	t->updates = false;
	t->asked_ns = 0;
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || tcgetattr(STDIN_FILENO, &t->before))
		return error_set(err, _("%s is not a terminal: use -b to print snapshots"),
				 isatty(STDIN_FILENO) ? _("standard output") : _("standard input"));
	if (!terminal_is_usable())
		return refuse_terminal(err);
	t->input = input_open();
	t->screen = open_screen(t->input);
	if (!t->screen) {
		input_close(t->input);
		return refuse_terminal(err);
	}
	rescue_prepare(&t->before);
	set_escdelay(ESC_DELAY_MS);
	cbreak();
	noecho();
	nonl(); /* Enter is not turned into Ctrl-J */
	intrflush(stdscr, FALSE);
	t->keys = newpad(1, 1);
	keypad(t->keys, TRUE);
	define_arrows();
	nodelay(t->keys, TRUE);
	leaveok(stdscr, FALSE);
	ask_for_updates(t);
	curs_set(0);
	if (mouse && mousemask(MOUSE_EVENTS, NULL)) {
		mouseinterval(0); /* report at once: the caller decides what is a double click */
		rescue_text(MOUSE_OFF);
	}
	paste_prepare();
	return 0;
}

/* Leaving must not wait for a Ctrl-Q, nor for a terminal that reads no more. */
static void unblock(void)
{
	struct termios ours;

	if (terminal_writable() || tcgetattr(STDIN_FILENO, &ours))
		return;
	ours.c_iflag &= ~(tcflag_t)IXON;
	tcsetattr(STDIN_FILENO, TCSANOW, &ours);
	if (!terminal_writable())
		tcflush(STDOUT_FILENO, TCOFLUSH);
}

void terminal_close(struct terminal *t)
{
	if (!t->screen)
		return;
	unblock();
	mark_pastes(false);
	curs_set(1);
	endwin();
	tcsetattr(STDIN_FILENO, answer_is_missing(t) ? TCSAFLUSH : TCSADRAIN, &t->before);
	rescue.taken = 0;
	delwin(t->keys);
	delscreen(t->screen);
	t->screen = NULL;
	input_close(t->input);
}

uint32_t terminal_key(struct terminal *t)
{
	wint_t key;
	int kind;

	do {
		kind = wget_wch(t->keys, &key);
		/* Resizes arrive by a signal. */
	} while (kind == KEY_CODE_YES && (key == KEY_RESIZE || take_answer(t, key)));
	if (kind == ERR)
		return 0;
	if (kind == KEY_CODE_YES)
		return key == KEY_ENTER ? KEY_RETURN : KEY_OF_CURSES(key);
	return key == KEY_CTRL('J') ? KEY_RETURN : (uint32_t)key;
}

/* getmouse() returns the newest first, so the actions are stored from the end. */
size_t terminal_mouse(struct terminal_mouse events[TERMINAL_MOUSE_MAX])
{
	size_t at = TERMINAL_MOUSE_MAX;
	MEVENT event;

	while (at && getmouse(&event) == OK) {
		int wheel = !!(event.bstate & BUTTON5_PRESSED) - !!(event.bstate & BUTTON4_PRESSED);

		if (event.bstate & MOUSE_EVENTS)
			events[--at] = (struct terminal_mouse){ event.y, event.x, wheel };
	}
	memmove(events, events + at, (TERMINAL_MOUSE_MAX - at) * sizeof(*events));
	return TERMINAL_MOUSE_MAX - at;
}

bool terminal_gone(void)
{
	struct pollfd line = { .fd = STDIN_FILENO, .events = POLLIN };
	int waiting = 0;

	if (poll(&line, 1, 0) <= 0)
		return false;
	if (line.revents & (POLLHUP | POLLERR | POLLNVAL))
		return true;
	return ioctl(STDIN_FILENO, FIONREAD, &waiting) || !waiting;
}

void terminal_resize(void)
{
	struct winsize size;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col)
		resizeterm(size.ws_row, size.ws_col);
}

/* Restores the default action, which stops the process, unless nobody could ever continue it. */
static void stop_here(void)
{
	struct sigaction before, by_default = { .sa_handler = SIG_DFL };
	sigset_t stop;

	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	sigaction(SIGTSTP, &by_default, &before);
	raise(SIGTSTP);
	pthread_sigmask(SIG_UNBLOCK, &stop, NULL); /* stops, and goes on here */
	pthread_sigmask(SIG_BLOCK, &stop, NULL);
	sigaction(SIGTSTP, &before, NULL);
}

void terminal_stop(struct terminal *t)
{
	struct termios ours;

	def_prog_mode();
	unblock();
	mark_pastes(false);
	endwin();
	tcgetattr(STDIN_FILENO, &ours);
	tcsetattr(STDIN_FILENO, TCSADRAIN, &t->before);
	rescue.taken = 0;
	stop_here();
	tcgetattr(STDIN_FILENO, &t->before); /* the shell may have changed it */
	rescue.before = t->before;
	rescue.taken = 1;
	terminal_redraw();
}

void terminal_redraw(void)
{
	if (terminal_writable())
		reset_prog_mode();
	mark_pastes(true);
	terminal_resize();
	clearok(curscr, TRUE);
}
