/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_WORKER_SEALED_H
#define PTOP_WORKER_SEALED_H

#include <stddef.h>

/*
 * Bytes in memory that a worker hands over by a descriptor.  Nobody can change them any more, also not
 * while they are checked (memfd_create(2), F_ADD_SEALS of fcntl(2)).
 */

/*
 * Makes SIZE bytes, which FILL writes.  Returns a descriptor that the caller owns, or a negative errno.
 */
int sealed_write(size_t size, void (*fill)(char *at, const void *context), const void *context);

/*
 * Maps the bytes of FD, which stays the caller's.  Returns NULL if they could still change, or are fewer
 * than LEAST.  sealed_close() unmaps them.
 */
const char *sealed_open(int fd, size_t least, size_t *size);
void sealed_close(const char *at, size_t size); /* AT NULL is allowed */

#endif
