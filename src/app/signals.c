/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/signals.h"

#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/i18n.h"

static const int always[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD };
static const int on_screen[] = { SIGWINCH, SIGTSTP, SIGCONT, SIGUSR1 };
static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT, SIGSYS };

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

int signals_open(struct signals *s, bool interactive, struct error *err)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < COUNT(always); i++)
		sigaddset(&set, always[i]);
	for (size_t i = 0; interactive && i < COUNT(on_screen); i++)
		sigaddset(&set, on_screen[i]);
	signal(SIGPIPE, SIG_IGN); /* a write says EPIPE instead */
	sigprocmask(SIG_BLOCK, &set, &s->before);
	s->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->fd >= 0)
		return 0;
	sigprocmask(SIG_SETMASK, &s->before, NULL);
	return error_set(err, _("cannot receive signals: %s"), strerror(errno));
}

void signals_close(struct signals *s)
{
	struct signal_event event;

	while (signals_next(s, &event))
		; /* a second Ctrl-C must not end us while we clean up */
	close(s->fd);
	sigprocmask(SIG_SETMASK, &s->before, NULL);
}

bool signals_next(struct signals *s, struct signal_event *event)
{
	struct signalfd_siginfo info;

	if (read(s->fd, &info, sizeof(info)) != sizeof(info))
		return false;
	event->number = (int)info.ssi_signo;
	event->from_terminal = info.ssi_code == SI_KERNEL;
	return true;
}

void signals_reset_child(const struct signals *s)
{
	signal(SIGPIPE, SIG_DFL);
	for (size_t i = 0; i < COUNT(crashes); i++)
		signal(crashes[i], SIG_DFL);
	sigprocmask(SIG_SETMASK, &s->before, NULL);
}

/* Set once, before any thread, and only read by the handler: there is no other way to reach it. */
static void (*crash_restore)(void);

static void on_crash(int number)
{
	crash_restore();
	raise(number); /* blocked here, default by SA_RESETHAND: acts when the handler returns */
}

void signals_catch_crash(void (*restore)(void))
{
	static char stack[64 * 1024]; /* the crash may be that the stack is full */
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = on_crash,
				    .sa_flags = (int)SA_RESETHAND | SA_ONSTACK };

	crash_restore = restore;
	sigaltstack(&alternate, NULL);
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < COUNT(crashes); i++)
		sigaction(crashes[i], &action, NULL);
}
