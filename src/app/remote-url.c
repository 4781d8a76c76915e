/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/remote-url.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/decimal.h"
#include "base/i18n.h"

#define NAME_MAX_BYTES 255u /* of a host, by DNS; enough for a user */
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"

bool remote_is_url(const char *text)
{
	return !strncmp(text, REMOTE_SCHEME, strlen(REMOTE_SCHEME));
}

static struct remote_part part_between(const char *at, const char *end)
{
	return (struct remote_part){ at, (size_t)(end - at) };
}

struct remote_url remote_split(const char *url)
{
	const char *text = url + strlen(REMOTE_SCHEME);
	const char *end = text + strcspn(text, "/"), *sign;
	struct remote_url u = { .program = part_between(end, end + strlen(end)) };

	sign = memchr(text, '@', (size_t)(end - text));
	if (sign) {
		u.user = part_between(text, sign);
		text = sign + 1;
	}
	sign = *text == '[' ? memchr(text, ']', (size_t)(end - text)) : NULL;
	if (sign) {
		u.host = part_between(text + 1, sign);
		text = sign + 1;
	}
	sign = memchr(text, ':', (size_t)(end - text));
	if (sign)
		u.port = part_between(sign + 1, end);
	if (!u.host.at)
		u.host = part_between(text, sign ? sign : end);
	else if (text != (sign ? sign : end))
		u.host.size = 0; /* something between ']' and ':' */
	return u;
}

/* Returns true if P is a word of letters, digits, '.', '_', '-' and MORE that is no option. */
static bool is_word(struct remote_part p, const char *more)
{
	if (!p.size || p.size > NAME_MAX_BYTES || *p.at == '-')
		return false;
	for (size_t i = 0; i < p.size; i++) {
		if (!strchr(LETTERS, p.at[i]) && !strchr(more, p.at[i]))
			return false;
	}
	return true;
}

static bool is_port(struct remote_part p)
{
	char *text = mem_strndup(p.at, p.size);
	uint64_t port;
	bool good = !decimal_parse_u64(text, 1, 65535, &port);

	free(text);
	return good;
}

int remote_check(const char *url, struct error *err)
{
	struct remote_url u = remote_split(url);

	if ((!u.user.at || is_word(u.user, "")) && is_word(u.host, ":%") &&
	    (!u.port.at || is_port(u.port)) && (u.program.size < 2 || is_word(u.program, "/+")))
		return 0;
	return error_set(err,
			 _("'%s' is not ssh://[USER@]HOST[:PORT][/PROGRAM], of letters, digits, "
			   "'.', '_' and '-'"),
			 url);
}
