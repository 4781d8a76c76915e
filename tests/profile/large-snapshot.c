/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/large-snapshot.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "profile/sample-snapshot.h"

#define FUNCTIONS 5000u
#define DEPTH 60u
#define PROCESS 11u
#define PID 4123u

/* For the rest of the program, as the other snapshot's is. */
static const struct frame_table *frames_make(uint32_t *numbers)
{
	struct frame_table *t = frame_table_new(NULL, 0);
	struct frame_key key = { .object = 1, .object_path = "/tmp/load", .object_name = "load" };

	for (uint32_t i = 0; i <= FUNCTIONS; i++) {
		char name[32];

		snprintf(name, sizeof(name), i < FUNCTIONS ? "work_%u" : "needle", i);
		key.symbol = i;
		key.raw = name;
		numbers[i] = frame_table_add(t, &key);
	}
	return t;
}

/* Each node under one of those before it: like real stacks, wide at some and deep at others. */
static struct call_node *nodes_make(size_t count, const uint32_t *numbers)
{
	struct call_node *nodes = mem_array(count, sizeof(*nodes));
	unsigned char *depths = mem_alloc(count);

	for (uint32_t i = 1; i < count; i++) {
		uint32_t parent = i == 1 ? 0 : 1 + (uint32_t)(hash_u64(i) % (i - 1));

		while (depths[parent] >= DEPTH)
			parent = nodes[parent].parent;
		depths[i] = (unsigned char)(depths[parent] + 1);
		nodes[i] =
			(struct call_node){ parent, numbers[hash_u64(~(uint64_t)i) % FUNCTIONS] };
	}
	nodes[count - 1].frame = numbers[FUNCTIONS];
	free(depths);
	return nodes;
}

struct snapshot *large_snapshot(size_t nodes)
{
	static uint32_t numbers[FUNCTIONS + 1];
	static const struct frame_table *frames;
	struct snapshot *s = sample_snapshot_stacks(true);

	if (!frames)
		frames = frames_make(numbers);
	s->frames = frames;
	free(s->nodes);
	s->nodes = nodes_make(nodes, numbers);
	s->node_count = nodes;
	free(s->cells);
	s->cells = NULL;
	snapshot_alloc_cells(s, nodes);
	s->cell_count = nodes - 1;
	for (uint32_t i = 1; i < nodes; i++)
		s->cells[i - 1] = (struct snapshot_cell){
			.process = PROCESS,
			.pid = PID,
			.comm = "load",
			.frame = s->nodes[i].frame,
			.node = i,
			.samples = 1 + i % 7,
			.period = 1e6 * (1 + i % 7),
		};
	return s;
}
