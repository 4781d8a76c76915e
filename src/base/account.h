/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_BASE_ACCOUNT_H
#define PTOP_BASE_ACCOUNT_H

#include <stdint.h>

/*
 * The memory of ptop has one limit (--max-memory), and each table that other processes can grow has a part
 * of it.  The parts are rows of one table, in thousandths of the limit:
 *
 *   most	A table never has more.  It then merges, refuses or replaces, as its header says.
 *   user	What one user, or what he chooses the size of, may have of that; 0: all of it.
 *   least	All parts together are more than the limit, since few programs need all of them.  When the sum
 *		exceeds the limit, tables shed in the order of the rows, down to this.
 *
 * A table is asked for its size (engine/shedding.h) twice a second; adding to it costs nothing.
 *
 * All other tables are bounded by construction.  LATE_BYTES bounds stacks that wait for a file, THREAD_LIMIT of
 * engine/offcpu.c threads whose waits are measured, PLACES_LIMIT addresses that wait for a name.  A recording that is
 * written has a fixed number of buffers; --mmap-pages sets the rings.  A snapshot has rows for tasks, cells and
 * nodes, so it is bounded by their parts.
 */
enum account_table {
	ACCOUNT_RULES,
	ACCOUNT_SYMBOLS,
	ACCOUNT_MAPPINGS,
	ACCOUNT_GROUPS,
	ACCOUNT_PAST,
	ACCOUNT_STACKS,
	ACCOUNT_CELLS,
	ACCOUNT_FUNCTIONS,
	ACCOUNT_INLINED,
	ACCOUNT_DATA,
	ACCOUNT_OBJECTS,
	ACCOUNT_TASKS,
	ACCOUNT_WORKERS,
	ACCOUNT_TABLES
};

struct account_row {
	const char *name; /* for JSON */
	const char *text; /* N_(): for the header */
	uint16_t most, user, least;
};

extern const struct account_row account_rows[ACCOUNT_TABLES];

#define ACCOUNT_BYTES (256ull << 20)    /* the limit, where none is given */
#define ACCOUNT_BYTES_FILE (2ull << 30) /* of a recording, which shall be counted exactly */
#define ACCOUNT_BYTES_MIN (64ull << 20) /* below it ptop itself has no room */
#define ACCOUNT_SLACK_BYTES \
	(64ull << 20) /* beyond the limit: the program, its libraries, snapshots */

/* Bytes that TABLE may have where LIMIT is for all; 0: ACCOUNT_BYTES. */
uint64_t account_most(uint64_t limit, enum account_table table);
uint64_t account_user(uint64_t limit, enum account_table table);
uint64_t account_least(uint64_t limit, enum account_table table);

/* The size of each table, and how much it shed in the interval, in bytes. */
struct account_sums {
	uint64_t limit;    /* 0: nothing is shed */
	uint64_t resident; /* of all processes of ptop, as the kernel has it; 0 unknown */
	uint64_t bytes[ACCOUNT_TABLES], shed[ACCOUNT_TABLES];
};

#endif
