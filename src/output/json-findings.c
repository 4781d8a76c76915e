/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <jansson.h>

#include "output/document.h"
#include "base/i18n.h"
#include "output/format.h"
#include "view/list/findings.h"

/*
 * "ptop-findings/1": what stands out in a snapshot as one object on one line of at most FINDINGS_BYTES, the
 * newline included.  A finding that does not fit is left out and counted.  Fields may be added, never renamed.
 */
#define SCHEMA "ptop-findings/1"
#define FINDINGS_BYTES 4096
#define MORE_BYTES 20 /* of any count */

static json_t *finding_object(const struct finding *f)
{
	const struct finding_test *test = &f->rule->tests[0];
	json_t *o = json_object();

	document_set(o, "rule", json_string(f->rule->name));
	document_set(o, "level", json_string(finding_level_name(f->rule->level)));
	document_set(o, "number", document_number(f->number));
	document_set(o, "unit", json_string(test->unit));
	document_set(o, "limit", document_number(test->limit));
	document_set(o, "text", document_text(f->text));
	document_set(o, "evidence", document_text(*f->evidence ? f->evidence : NULL));
	document_set(o, "pid", f->pid ? json_integer(f->pid) : json_null());
	document_set(o, "view", json_string(f->rule->view));
	document_set(o, "command", document_text(f->command));
	return o;
}

static json_t *head(const struct snapshot *s)
{
	json_t *o = document_head(s, SCHEMA);

	document_set(o, "findings", json_array());
	document_set(o, "more", json_integer(0));
	return o;
}

/* Adds those that fit; returns how many do not. */
static size_t add_findings(json_t *root, const struct findings *f)
{
	json_t *array = json_object_get(root, "findings");
	size_t size = document_size(root) + MORE_BYTES, left_out = 0;

	for (size_t i = 0; i < f->count; i++) {
		json_t *o = finding_object(&f->items[i]);
		size_t more = document_size(o) + 1; /* the comma */

		if (size + more <= FINDINGS_BYTES) {
			json_array_append(array, o);
			size += more;
		} else {
			left_out++;
		}
		json_decref(o);
	}
	return left_out;
}

static int findings_write(struct buf *out, const struct output_request *request, struct error *err)
{
	const struct snapshot *s = view_snapshot(request->view);
	struct findings f = { .count = 0 };
	json_t *root = head(s);
	size_t more;

	findings_build(&f, s);
	more = f.more + add_findings(root, &f);
	document_set(root, "more", json_integer((json_int_t)more));
	findings_fini(&f);
	return document_print(out, root, err);
}

/* clang-format off */
const struct output_format format_findings = {
	.name = "findings", .extensions = ".findings.json",
	.help = N_("what stands out, in at most 4096 bytes a line"), .write = findings_write,
	.view = "findings",
};
/* clang-format on */
