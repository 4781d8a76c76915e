/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_THEN_FILE_H
#define PTOP_APP_THEN_FILE_H

#include <stdint.h>
#include <sys/types.h>

#include "app/runner.h"
#include "base/buf.h"
#include "base/error.h"

/*
 * The files that --then makes in the present folder: ptop-when-DATE-TIME.EXTENSION, named after the moment of the
 * call.  The newest KEPT of each extension stay, files of earlier runs among them; older ones are removed first.
 */
#define THEN_FILE_NAME_SIZE RUNNER_VALUE_SIZE

struct then_file_kind {
	const char *extension; /* with its dot */
	mode_t mode;
	uint64_t kept; /* at least 1 */
};

/* Makes a new file and fills NAME.  Returns its descriptor, owned by the caller, or -1 with ERR set. */
int then_file_make(char name[THEN_FILE_NAME_SIZE], const struct then_file_kind *kind,
		   struct error *err);

/* Writes BYTES to a new file, which does not stay if it is not whole.  Returns 0, or -1 with ERR set. */
int then_file_write(char name[THEN_FILE_NAME_SIZE], const struct then_file_kind *kind,
		    const struct buf *bytes, struct error *err);

#endif
