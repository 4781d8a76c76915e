/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/list/mapping-list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/i18n.h"
#include "view/list/columns.h"
#include "view/list/list.h"
#include "view/widget/number.h"
#include "view/widget/text.h"

/*
 * Mappings by path: the faults in them, of all processes or of one; and what they hold in the
 * process whose memory the snapshot has.  A path keeps its row when its file is deleted.
 */
struct mappings {
	struct mapping_row *rows;
	size_t count, capacity;
};

struct build {
	struct mappings *mappings;
	const struct snapshot *snapshot;
	struct map by_path;  /* hash of a path, or the next free number, to row number + 1 */
	struct map by_frame; /* likewise, for cells */
	int faults, major;   /* events; -1: not sampled */
};

int mappings_event(const struct snapshot *s, enum event_id id)
{
	for (size_t i = 0; i < s->event_count; i++) {
		const struct snapshot_event *e = &s->events[i];

		if (e->id == id && e->sampled && !e->removed && !e->error)
			return (int)i;
	}
	return -1;
}

static struct mapping_row *row_add(struct build *b, const char *path, const char *name)
{
	struct mappings *m = b->mappings;

	mem_grow((void **)&m->rows, &m->capacity, m->count + 1, sizeof(*m->rows));
	m->rows[m->count++] = (struct mapping_row){
		.path = path,
		.name = name,
		.faults = b->faults < 0 ? NAN : 0,
		.major = b->major < 0 ? NAN : 0,
		.usage = snapshot_usage_unknown,
	};
	return &m->rows[m->count - 1];
}

static struct mapping_row *row_of(struct build *b, const char *path, const char *name)
{
	size_t size = rows_mapping_size(path);
	uint64_t key = hash_bytes(path, size);
	uintptr_t number;

	for (; (number = (uintptr_t)map_find(&b->by_path, key)); key++) {
		struct mapping_row *row = &b->mappings->rows[number - 1];

		if (rows_mapping_size(row->path) == size && !memcmp(row->path, path, size))
			return row;
	}
	map_put(&b->by_path, key, (void *)(uintptr_t)(b->mappings->count + 1));
	return row_add(b, path, name);
}

static struct mapping_row *row_of_frame(struct build *b, uint32_t frame)
{
	const struct frame_table *frames = b->snapshot->frames;
	uintptr_t number = (uintptr_t)map_find(&b->by_frame, frame);
	struct mapping_row *row;

	if (number)
		return &b->mappings->rows[number - 1];
	row = row_of(b, frame_object_path(frames, frame), frame_object_name(frames, frame));
	map_put(&b->by_frame, frame, (void *)(uintptr_t)(row - b->mappings->rows + 1));
	return row;
}

static void bytes_add(int64_t *sum, int64_t bytes)
{
	if (bytes >= 0)
		*sum = (*sum < 0 ? 0 : *sum) + bytes;
}

/* Adds the contents of FROM to ROW: a deleted file and its successor share a row. */
static void held_add(struct mapping_row *row, const struct snapshot_mapping *from)
{
	const struct snapshot_usage *u = &from->usage;

	row->count += from->count;
	bytes_add(&row->usage.resident, u->resident);
	bytes_add(&row->usage.proportional, u->proportional);
	bytes_add(&row->usage.swap, u->swap);
	bytes_add(&row->usage.swap_proportional, u->swap_proportional);
	bytes_add(&row->usage.private_clean, u->private_clean);
	bytes_add(&row->usage.private_dirty, u->private_dirty);
	bytes_add(&row->usage.shared_clean, u->shared_clean);
	bytes_add(&row->usage.shared_dirty, u->shared_dirty);
	bytes_add(&row->usage.anonymous, u->anonymous);
	bytes_add(&row->usage.lazy_free, u->lazy_free);
}

/* Adds the faults of the cells of FROM, the snapshot or the base. */
static void cells_add(struct build *b, const struct snapshot *from, bool base,
		      const struct rows *rows, const struct rows_request *request)
{
	for (size_t i = 0; i < from->cell_count; i++) {
		const struct snapshot_cell *c = &from->cells[i];
		bool fault = c->event == b->faults;

		if (!c->data || (!fault && c->event != b->major) ||
		    !rows_cell_passes(rows, b->snapshot, request, c))
			continue;
		if (fault && base)
			row_of_frame(b, c->data)->base += c->period;
		else if (fault)
			row_of_frame(b, c->data)->faults += c->period;
		else if (!base)
			row_of_frame(b, c->data)->major += c->period;
	}
}

static void compare(struct build *b, const struct rows *rows, const struct rows_request *request)
{
	struct rows_request faults = *request;
	struct mappings *m = b->mappings;
	struct shares shares;

	faults.event = b->faults;
	shares = rows_shares(rows, b->snapshot, &faults);
	for (size_t i = 0; i < m->count; i++)
		m->rows[i].delta_percent =
			share_delta(&shares.period, m->rows[i].faults, m->rows[i].base);
}

static void mappings_build(struct mappings *m, const struct snapshot *s, const struct rows *rows,
			   const struct rows_request *request, bool held)
{
	struct build b = { .mappings = m,
			   .snapshot = s,
			   .faults = mappings_event(s, EVENT_PAGE_FAULTS),
			   .major = mappings_event(s, EVENT_MAJOR_FAULTS) };

	m->count = 0;
	for (size_t i = 0; held && i < s->memory.mapping_count; i++)
		held_add(row_of(&b, s->memory.mappings[i].path, s->memory.mappings[i].name),
			 &s->memory.mappings[i]);
	cells_add(&b, s, false, rows, request);
	if (request->base)
		cells_add(&b, request->base, true, rows, request);
	compare(&b, rows, request);
	map_fini(&b.by_path);
	map_fini(&b.by_frame);
}

/* Columns. */

/* Faults of cells are over the time that their weights stand for. */
static double faults_number(const struct column_row *r)
{
	return number_divide(r->mapping->faults, r->snapshot->cells_s);
}

static double major_number(const struct column_row *r)
{
	return number_divide(r->mapping->major, r->snapshot->cells_s);
}

static double count_number(const struct column_row *r)
{
	return r->mapping->count ? (double)r->mapping->count : NAN;
}

static double shared_number(const struct column_row *r)
{
	return number_known(r->mapping->usage.shared_clean) +
	       number_known(r->mapping->usage.shared_dirty);
}

/* clang-format off */
static const struct column mapping_columns[] = {
	{ .name = "faults/s", .title = "FAULTS/S", .unit = N_("per second"),
	  .help = N_("page faults at its addresses / time, as samples of page-faults tell"),
	  .width = 8, .priority = 1, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .descending = true, .number = faults_number, .format = number_count },
	{ COLUMN_DELTA, .unit = N_("percent points"),
	  .help = N_("its share of the page faults, less the one that it has in the base: key =, --base"),
	  .priority = 1 },
	{ .name = "majflt/s", .title = "MAJFLT/S", .unit = N_("per second"),
	  .help = N_("those of them with I/O, as samples of major-faults tell"),
	  .width = 8, .priority = 6, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .descending = true, .number = major_number, .format = number_count },
	{ .name = "rss", .title = "RSS", .unit = N_("bytes"),
	  .help = N_("resident memory of the process in it"), .extras = EXTRA_MAPPINGS,
	  .width = 5, .priority = 2, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .descending = true, COLUMN_FIELD(mapping, usage.resident), .format = number_bytes },
	{ .name = "pss", .title = "PSS", .unit = N_("bytes"),
	  .help = N_("resident memory of the process in it, what is shared divided by those that share it"),
	  .extras = EXTRA_MAPPINGS,
	  .width = 5, .priority = 3, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .descending = true, COLUMN_FIELD(mapping, usage.proportional), .format = number_bytes },
	{ .name = "swap", .title = "SWAP", .unit = N_("bytes"), .help = N_("what is swapped out of it"),
	  .extras = EXTRA_MAPPINGS,
	  .width = 5, .priority = 4, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .descending = true, COLUMN_FIELD(mapping, usage.swap), .format = number_bytes },
	{ .name = "dirty", .title = "DIRTY", .unit = N_("bytes"),
	  .help = N_("private and changed: what only this process has"), .extras = EXTRA_MAPPINGS,
	  .width = 5, .priority = 5, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .descending = true, COLUMN_FIELD(mapping, usage.private_dirty), .format = number_bytes },
	{ .name = "clean", .title = "CLEAN", .unit = N_("bytes"),
	  .help = N_("private and as in the file"), .extras = EXTRA_MAPPINGS,
	  .width = 5, .priority = 8, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .descending = true, COLUMN_FIELD(mapping, usage.private_clean), .format = number_bytes },
	{ .name = "shared", .title = "SHARED", .unit = N_("bytes"),
	  .help = N_("resident, and mapped by others, too"), .extras = EXTRA_MAPPINGS,
	  .width = 6, .priority = 8, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .descending = true, .number = shared_number, .format = number_bytes },
	{ .name = "anon", .title = "ANON", .unit = N_("bytes"),
	  .help = N_("resident, and of no file"), .extras = EXTRA_MAPPINGS,
	  .width = 5, .priority = 8, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .descending = true, COLUMN_FIELD(mapping, usage.anonymous), .format = number_bytes },
	{ .name = "lazyfree", .title = "LAZYFREE", .unit = N_("bytes"),
	  .help = N_("given back by madvise(2), and not taken yet"), .extras = EXTRA_MAPPINGS,
	  .width = 8, .priority = 8, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .descending = true, COLUMN_FIELD(mapping, usage.lazy_free), .format = number_bytes },
	{ .name = "maps", .title = "MAPS", .unit = N_("count"), .help = N_("mappings of that name"),
	  .extras = EXTRA_MAPPINGS,
	  .width = 5, .priority = 7, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .descending = true, .number = count_number, .format = number_count },
	{ .name = "path", .title = "PATH", .unit = N_("path"), .help = N_("as it is mapped"),
	  .width = 30, .grow = 20, .priority = 9, .type = COLUMN_TEXT, COLUMN_TEXT_FIELD(mapping, path) },
	{ .name = "mapping", .title = "MAPPING", .unit = N_("name"),
	  .help = N_("a file, [heap], [stack], //anon, shared memory"),
	  .width = 0, .priority = 0, .type = COLUMN_TEXT, .shown = true, COLUMN_TEXT_FIELD(mapping, name) },
	{ .name = NULL }
};
/* clang-format on */

/* The list. */

#define MEMORY_OLD_S 2 /* seconds; younger figures show no age */

struct mapping_list {
	struct mappings mappings;
	struct buf note; /* for the process whose memory is shown, or empty */
};

static void add_bytes(struct buf *out, const char *title, int64_t bytes)
{
	char text[32] = "-";

	if (bytes >= 0)
		number_bytes(text, (double)bytes);
	buf_printf(out, "%s%s %s", out->size ? "  " : "", title, text);
}

/* Describes the sums of the process and their age; or says why they are unknown. */
static void memory_describe(const struct lists *l, struct buf *out)
{
	const struct snapshot_memory *m = &l->scene.snapshot->memory;
	const char *missing = m->missing ? m->missing : m->mappings_missing;

	buf_clear(out);
	if (!m->process || l->scene.memory_process != m->process)
		return;
	if (!m->missing) {
		add_bytes(out, "RSS", m->usage.resident);
		add_bytes(out, "PSS", m->usage.proportional);
		add_bytes(out, "SWAP", m->usage.swap);
		if (m->age_s >= MEMORY_OLD_S)
			buf_printf(out, _(", %.0f s old"), m->age_s);
		if (m->mappings_age_s >= MEMORY_OLD_S)
			buf_printf(out, _(", mappings %.0f s"), m->mappings_age_s);
	}
	if (missing)
		buf_printf(out, "%s%s", out->size ? ", " : "", missing);
}

static size_t mappings_make(struct lists *l, const struct list_kind *k)
{
	struct mapping_list *m = list_data(l, k);
	struct rows_request request = *lists_request(l);
	uint32_t process = l->scene.memory_process;

	request.base =
		rows_base(l->scene.base, mappings_event(l->scene.snapshot, EVENT_PAGE_FAULTS));
	memory_describe(l, &m->note);
	mappings_build(&m->mappings, l->scene.snapshot, &l->rows, &request,
		       process && process == l->scene.snapshot->memory.process);
	return m->mappings.count;
}

static void mapping_fill(const struct lists *l, const struct list_kind *k, size_t i,
			 struct column_row *row)
{
	row->mapping = &((const struct mapping_list *)list_data(l, k))->mappings.rows[i];
	row->delta_percent = row->mapping->delta_percent;
}

static uint64_t mapping_key(const struct lists *l, const struct list_kind *k, size_t i)
{
	const char *path = ((const struct mapping_list *)list_data(l, k))->mappings.rows[i].path;

	return hash_bytes(path, rows_mapping_size(path));
}

static bool mapping_matches(const struct lists *l, const struct column_row *row, const char *text)
{
	(void)l;
	return text_contains(row->mapping->path, text) || text_contains(row->mapping->name, text);
}

static const char *mappings_note(const struct lists *l, const struct list_kind *k, const char *note)
{
	const struct mapping_list *m = list_data(l, k);

	return m->note.size ? m->note.bytes : note;
}

static const char *mappings_empty(const struct lists *l)
{
	return mappings_event(l->scene.snapshot, EVENT_PAGE_FAULTS) < 0
		       ? list_no_samples(l)
		       : _("no page faults: none occurred in what is shown");
}

/* Only one process has known contents of mappings. */
static unsigned mappings_without(const struct lists *l)
{
	return l->scene.memory_process ? 0 : EXTRA_MAPPINGS;
}

static void mapping_list_fini(void *data)
{
	struct mapping_list *m = data;

	free(m->mappings.rows);
	buf_fini(&m->note);
}

/* clang-format off */
static const struct column_table mapping_table = {
	.name = "mappings", .prefix = "mapping.", .title = N_("Columns of mappings"),
	.filter = N_("mappings"), .columns = mapping_columns, .sort = "faults/s rss",
};

const struct list_kind list_mappings = {
	.table = &mapping_table, .name = "mappings", .data_size = sizeof(struct mapping_list),
	.fini = mapping_list_fini, .arranged = true, .build = mappings_make, .fill = mapping_fill,
	.key = mapping_key, .matches = mapping_matches, .note = mappings_note,
	.unmatched = N_("no mapping passes the filter; {filter} changes it"),
	.empty = mappings_empty, .without = mappings_without,
};
/* clang-format on */
