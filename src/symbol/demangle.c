/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/demangle.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_IBERTY
#include <libiberty/demangle.h>
#endif

#include "base/alloc.h"
#include "base/buf.h"

#define MANGLED_MAX 4096u      /* longest name that is tried, bytes */
#define PLAIN_MAX (16u * 1024) /* longest name that is shown, bytes */
#define PLT_SUFFIX "@plt"

#ifdef HAVE_IBERTY
/*
 * A mangled name refers back to its own parts, so one of 250 bytes can stand for a gigabyte.  The
 * demanglers cannot be told to stop.  But they pass on their text piece by piece, and own no heap
 * memory meanwhile, so it is safe to jump out of them.
 */
struct output {
	struct buf text;
	jmp_buf too_long;
};

static void output_add(const char *text, size_t size, void *context)
{
	struct output *o = context;

	if (o->text.size + size > PLAIN_MAX)
		longjmp(o->too_long, 1);
	buf_add(&o->text, text, size);
}

typedef int demangler(const char *name, int options, demangle_callbackref add, void *context);

/* Returns the text, owned by the caller, or NULL. */
static char *demangle_bounded(demangler *run, const char *name)
{
	struct output *o = mem_alloc(sizeof(*o));
	char *result = NULL;

	if (!setjmp(o->too_long) && run(name, DMGL_NO_OPTS, output_add, o) && o->text.size) {
		result = o->text.bytes;
		o->text.bytes = NULL;
	}
	buf_fini(&o->text);
	free(o);
	return result;
}

/*
 * D's demangler returns its text only as a whole.  A name with many back references, each of which
 * may double the text, is not tried.
 */
static char *demangle_d(const char *name)
{
	unsigned references = 0;

	for (const char *c = name; *c; c++)
		references += *c == 'Q';
	return references <= 16 ? dlang_demangle(name, DMGL_NO_OPTS) : NULL;
}

/* Without parameters, as perf shows names.  Rust's old style looks like C++, so it comes first. */
static char *demangle(const char *name)
{
	char *result = NULL;

	if (name[0] == '_' && name[1] == 'D')
		return demangle_d(name);
	if (name[0] == '_')
		result = demangle_bounded(rust_demangle_callback, name);
	return result ? result : demangle_bounded(cplus_demangle_v3_callback, name);
}
#else
static char *demangle(const char *name)
{
	(void)name;
	return NULL;
}
#endif

/* Most names are plain C: they cost a comparison or two. */
static bool may_be_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R' || name[1] == 'D');
}

char *symbol_demangle(const char *name)
{
	size_t size = strnlen(name, MANGLED_MAX + 1), suffix = strlen(PLT_SUFFIX);
	char *plain, *result, *with_suffix;

	if (size > MANGLED_MAX || !may_be_mangled(name))
		return NULL;
	if (size <= suffix || strcmp(name + size - suffix, PLT_SUFFIX))
		return demangle(name);
	plain = mem_strndup(name, size - suffix);
	result = demangle(plain);
	free(plain);
	if (!result)
		return NULL;
	with_suffix = mem_printf("%s%s", result, PLT_SUFFIX);
	free(result);
	return with_suffix;
}
