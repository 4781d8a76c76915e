/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_REMOTE_WORDS_H
#define PTOP_APP_REMOTE_WORDS_H

#include "app/options.h"

/* The words that ssh(1) is run with for --attach ssh:// (app/remote.h). */
#define REMOTE_WORDS 9 /* with the NULL */

struct remote_words {
	char *argv[REMOTE_WORDS]; /* behind "ssh", NULL-terminated; owned */
	char *host;               /* as people call it: USER@HOST:PORT; owned */
};

/*
 * The words for the URL of O->attach.  The command for the machine there has the options of O that say what is
 * measured, and how, and the delay.
 */
void remote_words_make(struct remote_words *w, const struct options *o);
void remote_words_fini(struct remote_words *w);

#endif
