/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_OWN_FILE_H
#define PTOP_APP_OWN_FILE_H

#include "base/buf.h"
#include "base/error.h"

/*
 * Small files that tell ptop what a person wants: the configuration, profiles, themes.
 *
 * After su or sudo HOME may be another user's, who could lead us to any file of ours.  Every folder
 * on the way, before and behind symbolic links, must belong to us or to root.  Otherwise a file is
 * neither read nor written.
 */

/* Appends $XDG_CONFIG_HOME/ptop, else ~/.config/ptop.  -1 with ERR set if no variable says where that is. */
int own_folder(struct buf *out, struct error *err);

/*
 * Reads PATH into TEXT, which is empty before.  Returns 1 if the file is not there, or if we may not see it.  -1 with
 * ERR set if it is not ours, is no regular file, is longer than 64 KiB, or cannot be read.
 */
int own_file_read(const char *path, struct buf *text, struct error *err);

/*
 * Makes the text of the file PATH anew: CHANGE appends to OUT what is to be there in place of OLD.  Folders that are not
 * there are made with mode 0700, the file with 0600.  Readers see the old or the new text.  One writer waits
 * for another, at most a second, so that CHANGE sees what the other wrote.  -1 with ERR set.
 */
typedef void own_file_change(void *context, const struct buf *old, struct buf *out);
int own_file_write(const char *path, own_file_change *change, void *context, struct error *err);

#endif
