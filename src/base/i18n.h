/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_I18N_H
#define PTOP_I18N_H

/*
 * Translation marks.  _() translates a text where it is shown.  N_() marks a text in a table; the
 * code that shows it translates it.  ngettext() chooses and translates a text by a count.  Names that
 * scripts rely on (options, keys of JSON and csv, event and column names) are never marked.
 */
#include <libintl.h>

#define _(text) gettext(text)
#define N_(text) (text)

#endif
