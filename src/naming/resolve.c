/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "naming/resolve.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/i18n.h"
#include "naming/data.h"
#include "naming/inlines.h"
#include "naming/java-names.h"
#include "runtime/launch.h"
#include "symbol/jitdump.h"
#include "symbol/vdso.h"

#define CACHE_ENTRIES 8192u  /* a power of two; 24 bytes each */
#define PLACE_ENTRIES 32768u /* likewise; 16 bytes each */
#define STATUS_BYTES 4096

struct cache_entry {
	uint64_t ip;
	uint64_t generation;
	uint32_t serial;  /* of the process; 0: kernel addresses, the same in all */
	struct name name; /* that of FRAME_NONE: free */
};

/* Names across all processes: of those that live shortly, they are here. */
struct place_entry {
	uint64_t address;
	uint32_t object;
	struct name name; /* that of FRAME_NONE: free */
};

enum object_flag {
	OBJECT_LOADED = 1,   /* once at least */
	OBJECT_ANSWERED = 2, /* "no name" was answered while it was not loaded */
	OBJECT_UNNAMED = 4,  /* functions without a name were answered */
	OBJECT_ADVISED = 8,  /* it was looked up what would name the code of its process */
};

struct resolver {
	struct resolver_options use;
	struct java_names *java;                          /* NULL: nobody asks */
	uint32_t kernel, foreign_kernel, unmapped, guest; /* objects */
	struct space *kernel_space; /* a recording's; empty when nothing is known */
	bool kernel_asked, kernel_runs;
	bool vdso_asked;
	struct build_id vdso_id; /* of this machine's; none: it has none, or was not asked */
	uint64_t kernel_moved;   /* added to a recorded address it is the running one's */
	struct resolver_stats stats;
	unsigned char *objects; /* by number: enum object_flag */
	size_t object_capacity;
	struct cache_entry cache[CACHE_ENTRIES];
	struct place_entry places[PLACE_ENTRIES];
};

static uint32_t special_object(struct dso_cache *objects, enum dso_kind kind, const char *path)
{
	const struct dso_key key = { .kind = kind, .path = path };

	return dso_cache_get(objects, &key);
}

struct resolver *resolver_new(const struct resolver_options *options)
{
	struct resolver *r = mem_alloc(sizeof(*r));

	r->use = *options;
	r->kernel = special_object(r->use.objects, DSO_KERNEL, "[kernel]");
	r->foreign_kernel = special_object(r->use.objects, DSO_FOREIGN, "[kernel]");
	r->kernel_space = space_new(NULL);
	r->unmapped = special_object(r->use.objects, DSO_UNKNOWN, "[unknown]");
	r->guest = special_object(r->use.objects, DSO_UNKNOWN, "[guest]");
	if (r->use.ask_java)
		resolver_ask_java(r);
	return r;
}

void resolver_ask_java(struct resolver *r)
{
	if (r->use.attacher && !r->java)
		r->java = java_names_new(r->use.attacher, r->use.objects, r->use.clock);
}

void resolver_free(struct resolver *r)
{
	if (!r)
		return;
	space_free(r->kernel_space);
	java_names_free(r->java);
	free(r->objects);
	free(r);
}

static uint32_t namespace_pid(const struct resolver *r, uint32_t pid)
{
	char text[STATUS_BYTES];
	struct task_status status;
	ssize_t size;

	if (!r->use.procfs)
		return 0;
	size = procfs_read_task(r->use.procfs, pid, 0, "status", text, sizeof(text));
	if (size < 0 || task_status_parse(text, (size_t)size, &status))
		return 0;
	return status.nspid;
}

static bool kernel_runs_here(struct resolver *r)
{
	if (!r->use.kernel_is_running)
		return true;
	if (!r->kernel_asked)
		r->kernel_runs = r->use.kernel_is_running(r->use.context, &r->kernel_moved);
	r->kernel_asked = true;
	return r->kernel_runs;
}

/*
 * Returns true if the vdso at KEY is the one of this machine.  A recording has the build id of the vdso,
 * even if it covers user space alone and has nothing of the kernel.
 */
static bool vdso_is_here(struct resolver *r, const struct dso_key *key)
{
	if (!key->build_id.size)
		return !r->use.kernel_copied && kernel_runs_here(r);
	if (!r->vdso_asked)
		r->vdso_id = vdso_build_id();
	r->vdso_asked = true;
	return build_id_equal(&r->vdso_id, &key->build_id);
}

static struct dso_key key_of(const struct resolver *r, const struct process *p,
			     const struct mapping *m)
{
	struct dso_key key = { .kind = dso_kind_of_path(m->path),
			       .path = m->path,
			       .pid = p->pid,
			       .uid = p->uid,
			       .map_start = m->start,
			       .map_end = m->end,
			       .major = m->major,
			       .minor = m->minor,
			       .inode = m->inode,
			       .inode_generation = m->inode_generation,
			       .build_id = m->build_id };

	if (key.kind == DSO_FILE && !r->use.procfs)
		key.pid = 0; /* what has its number here is another process */
	return key;
}

static uint32_t jit_object(struct resolver *r, const struct process *p)
{
	const struct dso_key key = {
		.kind = DSO_JIT,
		.path = "//anon",
		.pid = p->pid,
		.nspid = namespace_pid(r, p->pid),
		.uid = p->uid,
	};

	return dso_cache_get(r->use.objects, &key);
}

void resolver_add_jitdump(struct resolver *r, const struct process *p, const struct mapping *m)
{
	const struct dso_key key = key_of(r, p, m);

	dso_set_jitdump(r->use.objects, jit_object(r, p), &key);
}

void resolver_add_kernel_symbol(struct resolver *r, const struct dso_kernel_symbol *s)
{
	dso_kernel_symbol(r->use.objects, s);
	resolver_forget(r);
}

/*
 * Looks for the jitdump of a process that was there before; a mapping that comes later is told by its
 * record.  All mappings with its JIT code learn their object, so that this is done once, and not for
 * each of the many that a program may have.
 */
static void find_jitdump(struct resolver *r, const struct process *p, struct space *space,
			 uint32_t object)
{
	for (size_t i = 0; i < space_count(space); i++) {
		struct mapping *m = space_at(space, i);

		if (jitdump_is_path(m->path))
			resolver_add_jitdump(r, p, m);
		else if (!m->dso && dso_kind_of_path(m->path) == DSO_JIT)
			m->dso = object;
	}
}

uint32_t resolver_object(struct resolver *r, const struct process *p, struct space *space,
			 struct mapping *m)
{
	struct dso_key key;

	if (m->dso)
		return m->dso;
	key = key_of(r, p, m);
	if (key.kind == DSO_VDSO && !vdso_is_here(r, &key))
		key.kind = DSO_UNKNOWN;
	if (key.kind == DSO_JIT) {
		m->dso = jit_object(r, p);
		if (dso_state(r->use.objects, m->dso) == DSO_NEW)
			find_jitdump(r, p, space, m->dso);
		return m->dso;
	}
	m->dso = dso_cache_get(r->use.objects, &key);
	return m->dso;
}

static bool in_upper_half(uint64_t ip)
{
	return ip >> 63;
}

static bool is_kernel_address(enum record_cpumode mode, uint64_t ip)
{
	return mode == CPUMODE_KERNEL || (mode == CPUMODE_UNKNOWN && in_upper_half(ip));
}

static bool is_guest(enum record_cpumode mode)
{
	return mode == CPUMODE_HYPERVISOR || mode == CPUMODE_GUEST_KERNEL ||
	       mode == CPUMODE_GUEST_USER;
}

static struct place user_place(struct resolver *r, const struct process *p, struct space *space,
			       uint64_t ip)
{
	struct mapping *m = space_find(space, ip);
	struct place place = { .object = r->unmapped, .address = ip };

	if (!m) {
		r->stats.unmapped++;
		return place;
	}
	place.object = resolver_object(r, p, space, m);
	if (dso_kind(r->use.objects, place.object) != DSO_JIT)
		place.address = ip - m->start + m->pgoff;
	return place;
}

void resolver_add_kernel_mapping(struct resolver *r, const struct mapping *m)
{
	if (!space_count(r->kernel_space))
		r->kernel_asked = false; /* by samples that came before it */
	space_insert(r->kernel_space, m);
	resolver_forget(r);
}

static bool is_kernel_path(const char *path)
{
	return !strncmp(path, "[kernel", strlen("[kernel"));
}

/*
 * Names of modules of the running kernel are in its own list, too.  When it has moved since, they
 * have as well, each by itself.
 */
static struct place kernel_place(struct resolver *r, uint64_t ip)
{
	struct place place = { .object = r->kernel, .address = ip };
	uint32_t made = dso_kernel_symbol_at(r->use.objects, ip);
	bool runs = kernel_runs_here(r);
	struct mapping *m;

	if (made)
		return (struct place){ .object = made, .address = ip };
	if (runs && !r->kernel_moved)
		return place;
	m = space_find(r->kernel_space, ip);
	if (runs && m && is_kernel_path(m->path)) {
		place.address += r->kernel_moved;
		return place;
	}
	place.object = r->foreign_kernel;
	if (!m && space_count(r->kernel_space))
		place.object = r->unmapped;
	else if (m && !is_kernel_path(m->path))
		place.object = special_object(r->use.objects, DSO_FOREIGN, m->path);
	return place;
}

static bool is_kernel_object(const struct resolver *r, uint32_t object)
{
	enum dso_kind kind = dso_kind(r->use.objects, object);

	return kind == DSO_KERNEL || kind == DSO_BPF || kind == DSO_FOREIGN;
}

/* The user who chose the names; the kernel's are its own. */
static uint32_t payer_of(const struct resolver *r, uint32_t object)
{
	uint32_t uid = dso_uid(r->use.objects, object);

	return is_kernel_object(r, object) || uid == UINT32_MAX ? 0 : uid + 1;
}

uint32_t resolver_nameless(struct resolver *r, uint32_t object, enum frame_flag why)
{
	struct frame_key key = { .object = object,
				 .payer = payer_of(r, object),
				 .flags = (uint8_t)why,
				 .object_path = dso_path(r->use.objects, object),
				 .object_name = dso_name(r->use.objects, object) };

	if (is_kernel_object(r, object))
		key.flags |= FRAME_KERNEL;
	return frame_table_add(r->use.frames, &key);
}

static void mark_object(struct resolver *r, uint32_t object, enum object_flag flag)
{
	if (object >= r->object_capacity)
		mem_grow_zeroed((void **)&r->objects, &r->object_capacity, object + 1u, 1);
	r->objects[object] |= (unsigned char)flag;
}

static bool has_mark(const struct resolver *r, uint32_t object, enum object_flag flag)
{
	return object < r->object_capacity && r->objects[object] & flag;
}

static uint32_t make_named(struct resolver *r, uint32_t object, const struct symtab *symbols,
			   uint32_t number)
{
	struct symbol symbol = symtab_at(symbols, number);
	struct frame_key key = { .object = object,
				 .payer = payer_of(r, object),
				 .raw = symbol.name,
				 .symbol = dso_symbol_id(r->use.objects, object, number),
				 .object_path = dso_path(r->use.objects, object),
				 .object_name = dso_name(r->use.objects, object),
				 .named_by = symbol.named_by,
				 .address = symbol.start };

	if (!*symbol.name) {
		key.flags |= FRAME_UNNAMED;
		mark_object(r, object, OBJECT_UNNAMED);
	}
	if (is_kernel_object(r, object))
		key.flags |= FRAME_KERNEL;
	if (symbol.module) /* the table is replaced when the kernel's list is read again */
		key.object_path = key.object_name = dso_text(r->use.objects, symbol.module);
	return frame_table_add(r->use.frames, &key);
}

static uint32_t named(struct resolver *r, uint32_t object, const struct symtab *symbols,
		      uint32_t number)
{
	uint32_t frame = frame_table_find(r->use.frames, object,
					  dso_symbol_id(r->use.objects, object, number));

	return frame != FRAME_NONE ? frame : make_named(r, object, symbols, number);
}

/* A function without a name may be taken for no function at all. */
static uint32_t shown_symbol(const struct resolver *r, const struct symtab *symbols,
			     uint32_t number)
{
	if (r->use.only_named && number != SYMBOL_NONE && !*symtab_at(symbols, number).name)
		return SYMBOL_NONE;
	return number;
}

/* The symbol's number; *ADDRESS is what PLACE is in the object's own addresses. */
static uint32_t find_symbol(const struct resolver *r, const struct symtab *symbols,
			    const struct place *place, uint64_t *address)
{
	enum dso_kind kind = dso_kind(r->use.objects, place->object);

	*address = place->address;
	if (kind == DSO_FILE || kind == DSO_VDSO) {
		if (!symtab_address_of_offset(symbols, place->address, address))
			return SYMBOL_NONE;
	}
	return shown_symbol(r, symbols, symtab_find(symbols, *address));
}

/* The function at PLACE. */
static uint32_t function_at(struct resolver *r, const struct place *place)
{
	struct dso_cache *objects = r->use.objects;
	const struct symtab *symbols;
	enum dso_state state;

	if (dso_kind(objects, place->object) >= DSO_FOREIGN)
		return resolver_nameless(r, place->object, FRAME_UNKNOWN);
	symbols = dso_symtab(objects, place->object);
	if (symbols) {
		uint64_t address;
		uint32_t number = find_symbol(r, symbols, place, &address);

		if (number != SYMBOL_NONE)
			return named(r, place->object, symbols, number);
	}
	state = dso_state(objects, place->object);
	if (state == DSO_NEW || state == DSO_LOADING)
		return resolver_nameless(r, place->object, FRAME_PENDING);
	return resolver_nameless(r, place->object, FRAME_UNKNOWN);
}

static bool is_named(const struct resolver *r, uint32_t frame)
{
	return !(frame_flags(r->use.frames, frame) & (FRAME_PENDING | FRAME_UNKNOWN));
}

static struct name with_inlined(struct resolver *r, const struct place *place, uint32_t frame)
{
	return r->use.inlines && is_named(r, frame) ? inlines_find(r->use.inlines, place, frame)
						    : name_of_frame(frame);
}

struct name resolver_name(struct resolver *r, const struct place *place)
{
	return with_inlined(r, place, function_at(r, place));
}

const uint32_t *resolver_frames(const struct resolver *r, const struct name *name, size_t *count)
{
	if (name_is_list(*name))
		return inlines_frames(r->use.inlines, *name, count);
	*count = 1;
	return &name->bits;
}

uint32_t resolver_inner(const struct resolver *r, struct name name)
{
	const struct name known = name_closed(name);
	size_t count;
	const uint32_t *frames = resolver_frames(r, &known, &count);

	return frames[count - 1];
}

uint32_t resolver_outer(const struct resolver *r, struct name name)
{
	const struct name known = name_closed(name);
	size_t count;

	return *resolver_frames(r, &known, &count);
}

/* The list may have grown since it was read: an address that lacks a name may get one. */
static bool may_get_name(const struct resolver *r, uint32_t object, uint32_t frame)
{
	uint8_t flags = frame_flags(r->use.frames, frame);

	if (flags & FRAME_PENDING)
		return true;
	return flags & FRAME_UNKNOWN && dso_may_grow(r->use.objects, object);
}

/* The advice for the runtime of P, by the files that it maps; NULL: none is known. */
static const char *advice_for(struct resolver *r, struct process *p)
{
	struct space *space = process_space(r->use.processes, p, MAPS_CODE);
	const char *advice = NULL;

	for (size_t i = 0; i < space_count(space) && !advice; i++)
		advice = launch_advice(data_short_name(space_at(space, i)->path));
	return advice;
}

/* A program that compiles its code while it runs, and tells no names, may need only to be told. */
static void advise(struct resolver *r, uint32_t object)
{
	struct dso_description d;
	struct process *p;
	const char *advice;

	if (!r->use.procfs || dso_kind(r->use.objects, object) != DSO_JIT ||
	    has_mark(r, object, OBJECT_ADVISED))
		return;
	dso_describe(r->use.objects, object, &d);
	if (d.symbols || d.state == DSO_NEW || d.state == DSO_LOADING || resolver_rests(r, object))
		return;
	mark_object(r, object, OBJECT_ADVISED);
	p = process_table_find(r->use.processes, d.key.pid);
	advice = p ? advice_for(r, p) : NULL;
	if (advice)
		dso_set_missing(r->use.objects, object, DSO_NAMES, _(advice));
}

/* Names the place, and asks for its object when that may bring a (better) name. */
static uint32_t ask_and_name(struct resolver *r, const struct place *place)
{
	uint32_t frame = function_at(r, place);

	if (!may_get_name(r, place->object, frame))
		return frame;
	dso_request(r->use.objects, place->object);
	if (r->java)
		java_names_want(r->java, place->object);
	else
		advise(r, place->object);
	return function_at(r, place); /* a cache that loads at once has it now */
}

static struct name place_name(struct resolver *r, const struct place *place)
{
	uint64_t key = place->address ^ hash_u64(place->object);
	struct place_entry *entry = &r->places[hash_u64(key) & (PLACE_ENTRIES - 1)];
	struct name name;
	uint32_t frame;

	if (entry->name.bits != FRAME_NONE && entry->address == place->address &&
	    entry->object == place->object)
		return entry->name;
	frame = ask_and_name(r, place);
	if (!is_named(r, frame))
		return name_of_frame(frame);
	name = with_inlined(r, place, frame);
	if (!name_is_open(name))
		*entry = (struct place_entry){ place->address, place->object, name };
	return name;
}

static struct cache_entry *cache_slot(struct resolver *r, uint32_t serial, uint64_t ip)
{
	return &r->cache[hash_u64(ip + serial * 0x9e3779b97f4a7c15u) & (CACHE_ENTRIES - 1)];
}

static bool is_cached(const struct cache_entry *entry, const struct cache_entry *key)
{
	return entry->ip == key->ip && entry->serial == key->serial &&
	       entry->generation == key->generation && entry->name.bits != FRAME_NONE;
}

/*
 * Remembers objects whose loading failed: answers from before they are loaded are not kept
 * otherwise.
 */
static void keep_answer(struct resolver *r, struct cache_entry *entry,
			const struct cache_entry *answer, const struct place *place)
{
	*entry = *answer;
	if (frame_flags(r->use.frames, resolver_outer(r, answer->name)) & FRAME_UNKNOWN &&
	    dso_state(r->use.objects, place->object) != DSO_READY)
		mark_object(r, place->object, OBJECT_ANSWERED);
}

/*
 * resolver_find() for what is not in the cache, SPACE NULL: in the kernel.  Not inlined, because few samples
 * come here and the others would pay for its frame.
 */
static __attribute__((noinline)) struct name
find_uncached(struct resolver *r, const struct address *a, struct space *space,
	      struct cache_entry key, struct place *later)
{
	struct place place =
		space ? user_place(r, a->process, space, a->ip) : kernel_place(r, a->ip);

	r->stats.misses++;
	key.name = place_name(r, &place);
	if (name_is_open(key.name)) {
		*later = place;
		later->loading = true;
		return name_closed(key.name);
	}
	if (!may_get_name(r, place.object, resolver_outer(r, key.name))) {
		keep_answer(r, cache_slot(r, key.serial, a->ip), &key, &place);
		return key.name;
	}
	*later = place;
	later->loading = frame_flags(r->use.frames, name_number(key.name)) & FRAME_PENDING;
	return key.name;
}

struct name resolver_find(struct resolver *r, const struct address *a, struct place *later)
{
	struct cache_entry key = { .ip = a->ip };
	const struct cache_entry *entry;
	struct space *space = NULL;

	later->object = 0;
	if (is_guest(a->mode)) {
		r->stats.guests++;
		return name_of_frame(resolver_nameless(r, r->guest, FRAME_UNKNOWN));
	}
	if (!is_kernel_address(a->mode, a->ip)) {
		space = process_space(r->use.processes, a->process, MAPS_CODE);
		key.serial = a->process->serial;
		key.generation = space_generation(space);
	}
	entry = cache_slot(r, key.serial, a->ip);
	if (is_cached(entry, &key)) {
		r->stats.hits++;
		return entry->name;
	}
	return find_uncached(r, a, space, key, later);
}

bool resolver_offset(struct resolver *r, const struct address *a, uint64_t *offset)
{
	struct place place;
	const struct symtab *symbols;
	uint64_t address;
	uint32_t number;

	if (is_guest(a->mode))
		return false;
	if (is_kernel_address(a->mode, a->ip))
		place = kernel_place(r, a->ip);
	else
		place = user_place(r, a->process,
				   process_space(r->use.processes, a->process, MAPS_CODE), a->ip);
	symbols = dso_symtab(r->use.objects, place.object);
	number = symbols ? find_symbol(r, symbols, &place, &address) : SYMBOL_NONE;
	if (number == SYMBOL_NONE)
		return false;
	*offset = address - symtab_at(symbols, number).start;
	return true;
}

bool resolver_place(struct resolver *r, const struct address *a, struct place *place)
{
	struct space *space;
	struct mapping *m;

	if (is_guest(a->mode))
		return false;
	if (is_kernel_address(a->mode, a->ip)) {
		*place = kernel_place(r, a->ip);
		return true;
	}
	space = process_space(r->use.processes, a->process, MAPS_CODE);
	m = space_find(space, a->ip);
	if (!m)
		return false;
	*place = (struct place){ .object = resolver_object(r, a->process, space, m),
				 .address = a->ip };
	if (dso_kind(r->use.objects, place->object) != DSO_JIT)
		place->address = a->ip - m->start + m->pgoff;
	return true;
}

bool resolver_range(struct resolver *r, const struct place *place, struct function_range *range)
{
	const struct symtab *symbols = dso_symtab(r->use.objects, place->object);
	struct symbol symbol;
	uint64_t address;
	uint32_t number;

	number = symbols ? find_symbol(r, symbols, place, &address) : SYMBOL_NONE;
	if (number == SYMBOL_NONE)
		return false;
	symbol = symtab_at(symbols, number);
	*range = (struct function_range){ symbol.start, symbol.end, address - place->address };
	return true;
}

uint32_t resolver_function_at(struct resolver *r, uint32_t object, uint64_t address)
{
	const struct symtab *symbols = dso_symtab(r->use.objects, object);
	uint32_t number = symbols ? symtab_find(symbols, address) : SYMBOL_NONE;

	if (number == SYMBOL_NONE || symtab_at(symbols, number).start != address)
		return FRAME_NONE;
	return named(r, object, symbols, number);
}

uint32_t resolver_renamed(struct resolver *r, uint32_t frame)
{
	uint32_t object = frame_object(r->use.frames, frame);
	const struct symtab *symbols = dso_symtab(r->use.objects, object);
	uint32_t number = SYMBOL_NONE;

	if (symbols)
		number = symtab_find(symbols, frame_address(r->use.frames, frame));
	if (number == SYMBOL_NONE || !*symtab_at(symbols, number).name)
		return frame;
	return named(r, object, symbols, number);
}

bool resolver_has_unnamed(const struct resolver *r, uint32_t object)
{
	return has_mark(r, object, OBJECT_UNNAMED);
}

bool resolver_rests(const struct resolver *r, uint32_t object)
{
	return dso_rests(r->use.objects, object);
}

bool resolver_loaded(struct resolver *r, uint32_t object)
{
	bool stale;

	if (resolver_rests(r, object))
		return false;
	mark_object(r, object, 0);
	stale = r->objects[object] || dso_kind(r->use.objects, object) == DSO_JIT;
	mark_object(r, object, OBJECT_LOADED);
	if (stale)
		resolver_forget(r);
	return stale;
}

void resolver_forget(struct resolver *r)
{
	memset(r->cache, 0, sizeof(r->cache));
	memset(r->places, 0, sizeof(r->places));
}

const struct resolver_stats *resolver_statistics(const struct resolver *r)
{
	return &r->stats;
}
