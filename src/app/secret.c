/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/secret.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* A mapping of its own with the text, or NULL. */
static const char *keep(const char *text)
{
	const size_t size = strlen(text) + 1;
	char *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return NULL;
	if (madvise(page, size, MADV_WIPEONFORK)) {
		munmap(page, size);
		return NULL;
	}
	return memcpy(page, text, size);
}

const char *secret_take(const char *variable)
{
	char *value = getenv(variable);
	const char *kept = NULL;

	if (!value)
		return NULL;
	if (secure_getenv(variable))
		kept = keep(value);
	explicit_bzero(value, strlen(value));
	unsetenv(variable);
	return kept;
}
