/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <fcntl.h>
#include <linux/perf_event.h>

#include "engine/recorder.h"
#include "engine/rig.h"
#include "perf/data/file.h"

/* A recording of an engine describes the tasks from before its start. */
#define SAMPLE_TYPE                                                                     \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

struct bench {
	char directory[64], path[128], kallsyms[128], modules[128];
	struct recorder_kernel *kernel;
};

static void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

/* The kernel is found, and then its files are gone. */
static void bench_init(struct bench *b, const char *symbols, const char *modules)
{
	strcpy(b->directory, "/tmp/ptop-recorder-XXXXXX");
	assert_non_null(mkdtemp(b->directory));
	snprintf(b->path, sizeof(b->path), "%s/recording", b->directory);
	snprintf(b->kallsyms, sizeof(b->kallsyms), "%s/kallsyms", b->directory);
	snprintf(b->modules, sizeof(b->modules), "%s/modules", b->directory);
	write_text(b->kallsyms, symbols);
	write_text(b->modules, modules);
	b->kernel = recorder_kernel_find(b->kallsyms, b->modules);
	unlink(b->kallsyms);
	unlink(b->modules);
}

static void bench_fini(struct bench *b)
{
	unlink(b->path);
	assert_int_equal(rmdir(b->directory), 0);
}

/* Records one sample of a process that maps this program. */
static void record(struct bench *b)
{
	struct rig rig;
	struct writer_options writer = { 0 };
	struct source *described;
	struct error err;
	struct writer *w;

	rig_init(&rig, "cpu-clock", TIER_CPU_GROUP);
	w = writer_open(b->path, &err);
	assert_non_null(w);
	rig.options.layout =
		(struct record_layout){ .sample_type = SAMPLE_TYPE, .sample_id_all = true };
	rig.options.writer = w;
	rig.options.recorded_kernel = b->kernel;
	described = fake_source_new(rig.evlist, &rig.script);
	described->layout = rig.options.layout;
	writer.head = (struct write_head_options){ .source = described,
						   .target = &rig.options.target,
						   .version = "test" };
	assert_int_equal(writer_start(w, &writer, &err), 0);
	rig_open(&rig);
	recorder_kernel_free(b->kernel); /* nobody needs it any more */
	rig_snapshot(&rig);
	rig_receive(&rig, rig_mmap_self(100, NS_PER_S));
	rig_receive(&rig, fake_sample(100, 100, 0, 2 * NS_PER_S, rig_hot_address(), 0));
	engine_drained(rig.engine, rig.now_ns);
	engine_end_recording(rig.engine);
	assert_int_equal(writer_close(w, &err), 0);
	source_close(described);
	rig_fini(&rig);
}

struct found {
	struct {
		char path[64];
		uint64_t start, length, pgoff;
	} kernel[4];
	size_t kernel_count, mappings;
};

static void receive(void *context, const struct record *r)
{
	struct found *f = context;

	if (r->type == RECORD_MMAP2)
		f->mappings++;
	if (r->type != RECORD_MMAP)
		return;
	assert_true(f->kernel_count < 4);
	snprintf(f->kernel[f->kernel_count].path, 64, "%s", r->mmap.path);
	f->kernel[f->kernel_count].start = r->mmap.start;
	f->kernel[f->kernel_count].length = r->mmap.length;
	f->kernel[f->kernel_count++].pgoff = r->mmap.pgoff;
}

static void read_recording(const struct bench *b, struct found *f)
{
	struct evlist *evlist = evlist_new();
	struct error err;
	struct source *s = file_source_open(evlist, b->path, &err);
	int64_t n = 1;

	memset(f, 0, sizeof(*f));
	assert_non_null(s);
	while (n > 0)
		n = s->ops->drain(s, receive, f);
	assert_int_equal(n, 0);
	source_close(s);
	evlist_free(evlist);
}

UNIT_TEST(the_kernel_is_where_it_was_found)
{
	struct bench b;
	struct found f;

	bench_init(&b,
		   "ffffffff81000000 T _stext\nffffffff81000000 T _text\n"
		   "ffffffff81000040 t other\nffffffff82000000 T _etext\n",
		   "nf_tables 303104 3 nft_ct,nft_nat, Live 0xffffffffc0a00000 (E)\n");
	record(&b);
	read_recording(&b, &f);
	assert_int_equal(f.kernel_count, 2);
	assert_string_equal(f.kernel[0].path, "[kernel.kallsyms]_text");
	assert_int_equal(f.kernel[0].start, 0xffffffff81000000);
	assert_int_equal(f.kernel[0].length, 0x1000000);
	assert_int_equal(f.kernel[0].pgoff, 0xffffffff81000000);
	assert_string_equal(f.kernel[1].path, "[nf_tables]");
	assert_int_equal(f.kernel[1].start, 0xffffffffc0a00000);
	assert_int_equal(f.kernel[1].length, 303104);
	assert_true(f.mappings > 0);
	bench_fini(&b);
}

UNIT_TEST(hidden_addresses_are_nothing)
{
	struct bench b;
	struct found f;

	bench_init(&b,
		   "0000000000000000 T _stext\n0000000000000000 T _text\n"
		   "0000000000000000 T _etext\n",
		   "nf_tables 303104 3 nft_ct, Live 0xffffffffc0a00000 (E)\n");
	record(&b);
	read_recording(&b, &f);
	assert_int_equal(f.kernel_count, 0);
	bench_fini(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kernel_is_where_it_was_found),
		cmocka_unit_test(hidden_addresses_are_nothing),
	};

	return unit_run(tests);
}
