/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_LIVE_OPTIONS_H
#define PTOP_APP_LIVE_OPTIONS_H

#include "app/session.h"

/*
 * Options that change while ptop runs: callbacks of struct ui_actions, and what the key W keeps.  They are those of
 * the configuration.  Some take effect at once, others when ptop starts again.
 */
bool live_option(void *session, size_t i, struct ui_option *out);
int live_set_option(void *session, const char *name, const char *value, const char **said,
		    struct error *err);

/* Brings into the options what keys changed and the view alone knows, as if it had been given. */
int live_options_keep(struct session *s, struct error *err);

/* Shows in the header how samples are forgotten. */
void live_show_mode(struct session *s);

void live_mark_given(struct session *s, const char *option);

#endif
