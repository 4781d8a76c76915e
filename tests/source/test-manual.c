/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The manual page against the tables of the program.  Every row of options, keys, columns, events
 * and formats is there, and no option that does not exist.
 */
#include "unit.h"

#include <ctype.h>

#include "app/options.h"
#include "base/alloc.h"
#include "base/buf.h"
#include "output/output.h"
#include "perf/event/event.h"
#include "profile/invariant.h"
#include "ui/key.h"
#include "view/kind.h"
#include "view/list/findings.h"
#include "view/list/list.h"

static struct buf manual;

static int read_manual(UNIT_NO_STATE)
{
	const char *root = getenv("abs_srcdir");
	char path[4096], bytes[4096];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/doc/ptop.1", root ? root : ".");
	f = fopen(path, "r");
	if (!f)
		return -1;
	while ((n = fread(bytes, 1, sizeof(bytes), f)))
		buf_add(&manual, bytes, n);
	return fclose(f);
}

static int forget_manual(UNIT_NO_STATE)
{
	buf_fini(&manual);
	return 0;
}

/* Appends a line of the page without the escapes that its words use: `\e` is a backslash. */
static void add_unescaped(struct buf *out, const char *line, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (line[i] != '\\' || i + 1 == size)
			buf_add_char(out, line[i]);
		else if (line[++i] == 'e')
			buf_add_char(out, '\\');
		else if (line[i] == '-')
			buf_add_char(out, '-');
	}
	buf_add_char(out, '\n');
}

/*
 * The items of the section that the line TITLE begins, up to the next line that begins with END: its
 * .It and .Cm lines, unescaped.
 */
static struct buf items(const char *title, const char *end)
{
	const char *line = strstr(manual.bytes, title);
	struct buf found = { 0 };

	assert_non_null(line);
	buf_add_char(&found, '\n');
	for (line += strcspn(line, "\n"); *line; line += strcspn(line, "\n")) {
		line++;
		if (!strncmp(line, end, strlen(end)))
			break;
		if (!strncmp(line, ".It ", 4) || !strncmp(line, ".Cm ", 4))
			add_unescaped(&found, line, strcspn(line, "\n"));
	}
	return found;
}

static bool has_word(const struct buf *in, const char *word)
{
	size_t size = strlen(word);

	for (const char *at = in->bytes; (at = strstr(at, word)); at++)
		if (strchr(" \n", at[-1]) && strchr(" \n", at[size]))
			return true;
	return false;
}

static void must_have(const struct buf *in, const char *what, const char *word)
{
	if (!has_word(in, word))
		fail_msg("doc/ptop.1 has no %s '%s'", what, word);
}

UNIT_TEST(has_every_option)
{
	struct buf found = items(".Sh OPTIONS", ".Sh");
	size_t rows = 0, lines = 0;

	for (const struct option_row *o = option_table; o->name; o++, rows++) {
		char line[64];

		if (o->letter)
			snprintf(line, sizeof(line), "Fl %c , Fl Fl %s", o->letter, o->name);
		else
			snprintf(line, sizeof(line), ".It Fl Fl %s", o->name);
		must_have(&found, "option", line);
	}
	for (const char *at = found.bytes; (at = strstr(at, "\n.It Fl ")); at++)
		lines++;
	assert_int_equal(lines, rows);
	buf_fini(&found);
}

UNIT_TEST(has_every_key)
{
	struct buf found = items(".Sh KEYS", ".Sh");

	for (const struct key_row *row = key_table; row->act; row++) {
		for (int i = 0; i < KEYS_OF_ROW && row->keys[i]; i++) {
			char label[16];

			key_label(row->keys[i], label);
			must_have(&found, "key", label);
		}
	}
	for (const struct view_kind *k = view_kinds; k->name; k++) {
		const char label[] = { k->key, '\0' };

		if (k->key)
			must_have(&found, "key of a view", label);
	}
	buf_fini(&found);
}

UNIT_TEST(has_every_action)
{
	struct buf found = items(".Ss Own keys", ".S");

	for (const struct key_row *row = key_table; row->act; row++) {
		if (row->name)
			must_have(&found, "action", row->name);
	}
	buf_fini(&found);
}

UNIT_TEST(has_every_column)
{
	for (int table = 0; column_table(table); table++) {
		const char *name = column_table(table)->name;
		char title[64];
		struct buf found;

		snprintf(title, sizeof(title), ".Ss %c%s", toupper((unsigned char)*name), name + 1);
		found = items(title, ".S");
		for (const struct column *c = column_table(table)->columns; c->name; c++)
			must_have(&found, name, c->name);
		buf_fini(&found);
	}
}

UNIT_TEST(has_every_view)
{
	struct buf found = items(".Sh VIEWS", ".Sh");

	for (const struct view_kind *k = view_kinds; k->name; k++)
		must_have(&found, "view", k->name);
	buf_fini(&found);
}

UNIT_TEST(has_every_table)
{
	struct buf found = items(".It Fl Fl table", ".It");

	for (size_t i = 0; list_kinds[i]; i++) {
		if (list_kinds[i]->name)
			must_have(&found, "table", list_kinds[i]->name);
	}
	buf_fini(&found);
}

UNIT_TEST(has_every_invariant)
{
	struct buf found = items(".Sh IMPOSSIBLE FIGURES", ".Sh");

	for (size_t i = 0; i < INVARIANTS; i++)
		must_have(&found, "invariant", invariants[i].name);
	buf_fini(&found);
}

/* The item of a rule, up to the next one. */
static char *rule_item(const char *name)
{
	char start[64];
	const char *section = strstr(manual.bytes, ".Sh FINDINGS\n"), *item, *end;

	snprintf(start, sizeof(start), "\n.It Cm %s\n", name);
	item = section ? strstr(section, start) : NULL;
	if (!item)
		fail_msg("doc/ptop.1 has no finding '%s'", name);
	end = strstr(item + 1, "\n.");
	return mem_strndup(item, (size_t)(end - item));
}

UNIT_TEST(has_every_finding_with_its_limits)
{
	for (const struct finding_rule *r = finding_rules; r->name; r++) {
		char *item = rule_item(r->name);

		assert_non_null(strstr(item, finding_level_name(r->level)));
		for (size_t i = 0; i < FINDING_TESTS && r->tests[i].figure; i++) {
			const struct finding_test *t = &r->tests[i];
			char limit[128];

			snprintf(limit, sizeof(limit), "%s %g %s",
				 t->below ? "at most" : "at least", t->limit, t->unit);
			if (!strstr(item, limit))
				fail_msg("doc/ptop.1 does not say '%s' of %s", limit, r->name);
		}
		free(item);
	}
}

UNIT_TEST(has_every_event)
{
	struct buf found = items(".Sh EVENTS", ".Sh");

	for (enum event_id id = EVENT_OTHER + 1; id < EVENT_IDS; id++)
		must_have(&found, "event", event_at(id)->name);
	buf_fini(&found);
}

UNIT_TEST(has_every_format)
{
	struct buf found = items(".Sh OUTPUT FORMATS", ".Sh");

	for (size_t i = 0; output_formats[i]; i++)
		must_have(&found, "format", output_formats[i]->name);
	buf_fini(&found);
}

UNIT_TEST(the_search_can_fail)
{
	struct buf found = items(".Sh OUTPUT FORMATS", ".Sh");

	assert_true(has_word(&found, "json"));
	assert_false(has_word(&found, "jso"));
	assert_false(has_word(&found, "overhead%"));
	buf_fini(&found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_every_option),
		cmocka_unit_test(has_every_key),
		cmocka_unit_test(has_every_action),
		cmocka_unit_test(has_every_column),
		cmocka_unit_test(has_every_view),
		cmocka_unit_test(has_every_table),
		cmocka_unit_test(has_every_event),
		cmocka_unit_test(has_every_invariant),
		cmocka_unit_test(has_every_format),
		cmocka_unit_test(has_every_finding_with_its_limits),
		cmocka_unit_test(the_search_can_fail),
	};

	return cmocka_run_group_tests(tests, read_manual, forget_manual) ? EXIT_FAILURE
									 : EXIT_SUCCESS;
}
