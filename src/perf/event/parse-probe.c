/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/event/parse.h"

#include <inttypes.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/i18n.h"
#include "perf/event/sysfile.h"

/*
 * Breakpoints, and probes that need no definition beforehand: the dynamic PMUs "uprobe" and
 * "kprobe" of perf_event_open(2) take the place in the attr itself.
 */
#define RETPROBE 1 /* format/retprobe of both: "config:0" */

static bool is_digit(char c)
{
	return is_word(c) && !strchr("_-.*?", c);
}

static const struct {
	char letter;
	uint32_t bit;
} accesses[] = {
	/* in the canonical order */
	{ 'r', HW_BREAKPOINT_R },
	{ 'w', HW_BREAKPOINT_W },
	{ 'x', HW_BREAKPOINT_X },
};

#define ACCESSES (sizeof(accesses) / sizeof(accesses[0]))

/* The HW_BREAKPOINT_* bit of a letter, or 0. */
static uint32_t access_bit(char c)
{
	for (size_t i = 0; i < ACCESSES; i++) {
		if (accesses[i].letter == c)
			return accesses[i].bit;
	}
	return 0;
}

static bool is_access(char c)
{
	return access_bit(c) != 0;
}

/* Reads a number that belongs to WHAT. */
static int number(struct parser *p, const char *what, uint64_t *value)
{
	struct token token = parse_run(p, is_digit);

	if (token_number(token, value))
		return 0;
	token.size = token.size ? token.size : *p->at != '\0';
	return parse_error(p, token, _("%s is a number such as 0x1000"), what);
}

/* ":rw", or nothing when what follows the ':' are modifiers.  The HW_BREAKPOINT_* bits; 0: none. */
static uint32_t access_take(struct parser *p)
{
	const char *start = p->at;
	uint32_t bits = 0;
	struct token letters;

	if (*p->at != ':')
		return 0;
	p->at++;
	letters = parse_run(p, is_access);
	for (size_t i = 0; i < letters.size; i++)
		bits |= access_bit(letters.at[i]);
	if (!bits || (is_word(*p->at) && *p->at != '-')) {
		p->at = start;
		return 0;
	}
	return bits;
}

static int breakpoint_check(struct parser *p, struct token token, uint32_t access, uint64_t length)
{
	if ((access & HW_BREAKPOINT_X) && access != HW_BREAKPOINT_X)
		return parse_error(p, token, _("x, execution, goes with neither r nor w"));
	if (access == HW_BREAKPOINT_X && length != sizeof(long))
		return parse_error(p, token, _("a breakpoint on execution has length %zu"),
				   sizeof(long));
	if (length != 1 && length != 2 && length != 4 && length != 8)
		return parse_error(p, token, _("the length is 1, 2, 4 or 8"));
	return 0;
}

static char *breakpoint_base(uint64_t address, uint64_t length, uint32_t access)
{
	struct buf b = { 0 };

	buf_printf(&b, "mem:%#" PRIx64 "/%" PRIu64 ":", address, length);
	for (size_t i = 0; i < ACCESSES; i++) {
		if (access & accesses[i].bit)
			buf_add_char(&b, accesses[i].letter);
	}
	return b.bytes;
}

/* "mem:ADDR[/LEN][:rwx]".  A '/' that no digit follows begins the event's own terms. */
int parse_breakpoint(struct parser *p)
{
	struct token token = { .at = p->at };
	uint64_t address, length = 0;
	uint32_t access;
	struct evsel *e;
	char *base;

	if (number(p, _("an address"), &address) < 0)
		return -1;
	if (*p->at == '/' && p->at[1] >= '0' && p->at[1] <= '9') {
		p->at++;
		if (number(p, _("a length"), &length) < 0)
			return -1;
	}
	access = access_take(p);
	access = access ? access : HW_BREAKPOINT_RW;
	if (!length)
		length = access == HW_BREAKPOINT_X ? sizeof(long) : HW_BREAKPOINT_LEN_4;
	token.size = (size_t)(p->at - token.at);
	if (breakpoint_check(p, token, access, length) < 0)
		return -1;
	base = breakpoint_base(address, length, access);
	e = parse_every(base, PERF_TYPE_BREAKPOINT);
	free(base);
	e->config1 = address;
	e->config2 = length;
	e->bp_type = access;
	return parse_add(p, e);
}

static bool is_symbol(char c)
{
	return !strchr(",{}:/+", c) && (unsigned char)c > ' ' && c != 0x7f;
}

static int probe_type(struct parser *p, struct token token, const char *pmu, uint64_t *type)
{
	char *path = mem_printf("%s/bus/event_source/devices/%s/type",
				p->env->sysfs ? p->env->sysfs : "/sys", pmu);
	int status = sysfile_number(path, type);

	free(path);
	if (!status)
		return 0;
	return parse_error(p, token,
			   _("this kernel has no %ss: it was built without "
			     "CONFIG_%cPROBE_EVENTS"),
			   pmu, pmu[0] - 'a' + 'A');
}

/* "+OFFSET", or 0. */
static int offset_take(struct parser *p, uint64_t *offset)
{
	*offset = 0;
	if (*p->at != '+')
		return 0;
	p->at++;
	return number(p, _("an offset"), offset);
}

/* The file's name, up to the ':' behind it, in which "\:" stands for ':'. */
static int path_take(struct parser *p, struct buf *path)
{
	struct token token = { .at = p->at };

	for (; *p->at && *p->at != ':'; p->at++) {
		if ((unsigned char)*p->at < ' ' || *p->at == 0x7f)
			break;
		if (*p->at == '\\' && (p->at[1] == ':' || p->at[1] == '\\'))
			p->at++;
		buf_add_char(path, *p->at);
	}
	token.size = (size_t)(p->at - token.at);
	if (*p->at != ':' || !path->size)
		return parse_error(p, token,
				   _("a uprobe is uprobe:PATH:SYMBOL, such as "
				     "uprobe:/bin/bash:readline"));
	if (path->bytes[0] != '/')
		return parse_error(p, token, _("the path of a uprobe begins with '/'"));
	p->at++;
	return 0;
}

/* SYMBOL, or an offset in the file as a number; *OFFSET is the file's either way. */
static int place_take(struct parser *p, const char *path, struct token *symbol, uint64_t *offset)
{
	const struct event_resolver *resolver = p->env->resolver;
	struct error why = { "" };
	uint64_t start, more;
	char *name;
	int status;

	*symbol = parse_run(p, is_symbol);
	if (!symbol->size)
		return parse_error(p, *symbol, _("a symbol is missing, such as main"));
	if (offset_take(p, &more) < 0)
		return -1;
	if (token_number(*symbol, &start)) {
		*offset = start + more;
		return 0;
	}
	if (!resolver)
		return parse_error(p, *symbol,
				   _("symbols cannot be looked up here; give the offset "
				     "in the file, such as 0x1140"));
	name = token_dup(*symbol);
	status = resolver->symbol_offset(resolver->context, path, name, &start, &why);
	free(name);
	if (status < 0)
		return parse_error(p, *symbol, "%s", why.text);
	*offset = start + more;
	return 0;
}

/* The canonical base of a uprobe: as written, but for an offset in the file. */
static char *uprobe_base(const char *kind, const char *path, struct token symbol, uint64_t offset)
{
	struct buf b = { 0 };
	uint64_t ignored;

	buf_printf(&b, "%s:", kind);
	for (; *path; path++) {
		if (*path == ':' || *path == '\\')
			buf_add_char(&b, '\\');
		buf_add_char(&b, *path);
	}
	buf_add_char(&b, ':');
	if (token_number(symbol, &ignored))
		buf_printf(&b, "%#" PRIx64, offset);
	else
		buf_add(&b, symbol.at, symbol.size);
	return b.bytes;
}

static int parse_uprobe_kind(struct parser *p, const char *kind, uint64_t config)
{
	struct token start = { .at = p->at }, symbol;
	struct buf path = { 0 };
	uint64_t offset = 0, type, ignored;
	struct evsel *e;
	char *base;

	if (probe_type(p, start, "uprobe", &type) < 0)
		return -1;
	if (path_take(p, &path) < 0 || place_take(p, path.bytes, &symbol, &offset) < 0) {
		buf_fini(&path);
		return -1;
	}
	if (!token_number(symbol, &ignored))
		symbol.size = (size_t)(p->at - symbol.at); /* with "+OFFSET" */
	base = uprobe_base(kind, path.bytes, symbol, offset);
	e = parse_every(base, (uint32_t)type);
	free(base);
	e->config = config;
	e->config2 = offset;
	e->probe = path.bytes;
	e->takes_filter = true;
	return parse_add(p, e);
}

int parse_uprobe(struct parser *p)
{
	return parse_uprobe_kind(p, "uprobe", 0);
}

int parse_uretprobe(struct parser *p)
{
	return parse_uprobe_kind(p, "uretprobe", RETPROBE);
}

static int parse_kprobe_kind(struct parser *p, const char *kind, uint64_t config)
{
	struct token start = { .at = p->at }, function;
	uint64_t offset, type, address;
	struct evsel *e;
	char *base;

	if (probe_type(p, start, "kprobe", &type) < 0)
		return -1;
	function = parse_run(p, is_symbol);
	if (!function.size)
		return parse_error(p, function,
				   _("a kernel function is missing, such as "
				     "kprobe:do_sys_openat2"));
	if (offset_take(p, &offset) < 0)
		return -1;
	base = mem_printf("%s:%.*s", kind, (int)(p->at - start.at), start.at);
	e = parse_every(base, (uint32_t)type);
	free(base);
	e->config = config;
	e->config2 = offset;
	e->takes_filter = true;
	if (token_number(function, &address))
		e->config2 += address;
	else
		e->probe = token_dup(function);
	return parse_add(p, e);
}

int parse_kprobe(struct parser *p)
{
	return parse_kprobe_kind(p, "kprobe", 0);
}

int parse_kretprobe(struct parser *p)
{
	return parse_kprobe_kind(p, "kretprobe", RETPROBE);
}
