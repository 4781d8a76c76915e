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
size_t live_choices(void *session, const char *name, struct ui_choice out[UI_CHOICES_MAX]);
void live_remember(void *session);
void live_restore(void *session);

/*
 * The theme of the options into T.  If its file cannot be used, ERR is set and T is the default; if only a line of it
 * cannot be used, ERR is set, too.
 */
void live_first_theme(const struct options *o, struct theme_colors *t, struct error *err);

/* live-session.c: what keys request of the collector. */
int live_request_events(struct session *s, const char *text, struct error *err);
int live_request_stacks(struct session *s, struct error *err);

/* Brings into the options what keys changed and the view alone knows, as if it had been given. */
int live_options_keep(struct session *s, struct error *err);

/* Shows in the header how samples are forgotten. */
void live_show_mode(struct session *s);

void live_mark_given(struct session *s, const char *option);

#endif
