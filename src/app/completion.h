/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_COMPLETION_H
#define PTOP_APP_COMPLETION_H

#include "base/buf.h"

/*
 * The completions of shells.  A file of doc/ has the shell's own code, written by hand: it looks for processes, users
 * and files, and splits lists.  Between two lines of it stands what the table of options says: one writer for each
 * shell, which calls the functions of that code.
 */
#define COMPLETION_BEGIN \
	"# begin: made from the table of options by GENERATE=1 tests/app/test-options\n"
#define COMPLETION_END "# end\n"

/* "bash": the file is doc/ptop.bash-completion.  NULL past the last one. */
const char *completion_shell(int number);

/* Appends what stands between COMPLETION_BEGIN and COMPLETION_END in the file of shell NUMBER. */
void completion_write(struct buf *out, int number);

#endif
