/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/code.h"
#include "share/layout.h"

#define BLOCK_MAGIC 0x3231504f54507370ull

/*
 * The last word of a row is who may see the member (share/audience.h): what /proc shows to everybody, or machine-wide
 * figures, ALL.
 */
#define OWN SEEN_BY_OWNER
#define ALL SEEN_BY_ALL

/* clang-format off */
#define ROOT(member, seen) FIELD(struct snapshot, member, seen)
static const struct field snapshot_fields[] = {
	ROOT(version, ALL), ROOT(time_ns, ALL), ROOT(interval_s, ALL), ROOT(cells_s, ALL),
	ROOT(halvings, ALL),
	ROOT(iteration, ALL),

	ROOT(host.name, ALL), ROOT(host.kernel, ALL), ROOT(host.arch, ALL), ROOT(host.cpus, ALL),
	ROOT(host.uptime_s, ALL),
	FIELD_DOUBLES(struct snapshot, host.load, ALL), ROOT(host.tasks, ALL),
	ROOT(host.running, ALL),
	ROOT(host.cpu_percent, ALL), ROOT(host.user_percent, ALL), ROOT(host.system_percent, ALL),
	ROOT(host.idle_percent, ALL), ROOT(host.iowait_percent, ALL),
	ROOT(host.steal_percent, ALL),
	FIELD_DOUBLES(struct snapshot, host.pressure, ALL), ROOT(host.memory_total_bytes, ALL),
	ROOT(host.memory_used_bytes, ALL), ROOT(host.swap_total_bytes, ALL),
	ROOT(host.swap_used_bytes, ALL),
	ROOT(host.ticks_per_s, ALL), ROOT(host.read_s, ALL),

	ROOT(target.mode, ALL), FIELD_MAYBE(struct snapshot, target.cgroup, OWN),

	ROOT(sampling.tier, ALL), ROOT(sampling.tier_reason, ALL), ROOT(sampling.notes, ALL),
	ROOT(sampling.frequency_hz, ALL), ROOT(sampling.period, ALL), ROOT(sampling.asked_hz, ALL),
	ROOT(sampling.waits_summed, ALL), ROOT(sampling.stack_period, ALL),
	ROOT(sampling.stack_threads, ALL), ROOT(sampling.sampled_counters, ALL),
	ROOT(sampling.calls_without_stacks, ALL), ROOT(sampling.call_threads, ALL),
	ROOT(sampling.call_part, ALL), ROOT(sampling.thinned_part, ALL),
	ROOT(sampling.thinned_users, ALL), FIELD_MAYBE(struct snapshot, sampling.thinned_user, ALL),
	ROOT(sampling.budget_percent, ALL), ROOT(sampling.cost_percent, ALL),
	ROOT(sampling.over_budget, ALL),
	ROOT(sampling.samples, ALL), ROOT(sampling.lost, ALL), ROOT(sampling.throttled, ALL),
	ROOT(sampling.lost_sideband, ALL), ROOT(sampling.foreign_times, ALL),
	ROOT(sampling.total_samples, ALL),
	ROOT(sampling.total_lost, ALL), ROOT(sampling.total_lost_sideband, ALL),
	ROOT(sampling.read_samples, ALL),
	ROOT(sampling.settled_samples, ALL), ROOT(sampling.unresolved_percent, ALL),
	ROOT(sampling.unnamed_percent, ALL), ROOT(sampling.stacks_complete_percent, ALL),
	ROOT(sampling.python_percent, ALL),
	ROOT(sampling.python_bpf_percent, ALL),
	ROOT(sampling.own_cpu_percent, ALL), ROOT(sampling.loading, ALL),
	ROOT(sampling.hardware, ALL),
	ROOT(sampling.user_only, ALL), ROOT(sampling.losses, ALL), ROOT(sampling.account, ALL),
	ROOT(sampling.merged_cells, ALL), ROOT(sampling.merged_stacks, ALL),

	ROOT(past.kept, ALL), ROOT(past.from_ns, ALL), ROOT(past.to_ns, ALL),
	ROOT(past.began_ns, ALL), ROOT(past.now_ns, ALL),
	FIELD_OF(struct snapshot, past.realtime_ns, FIELD_RAW, 0, ALL), ROOT(past.merged, ALL),
};

#define EVENT(member, seen) FIELD(struct snapshot_event, member, seen)
static const struct field event_fields[] = {
	EVENT(name, ALL), FIELD_UNDER(struct snapshot_event, id, EVENT_IDS, ALL),
	FIELD_MAYBE(struct snapshot_event, canonical, ALL), EVENT(exclude_user, ALL),
	EVENT(exclude_kernel, ALL),
	FIELD_MAYBE(struct snapshot_event, unit, ALL), EVENT(sampled, ALL), EVENT(enabled, ALL),
	EVENT(samples, ALL),
	EVENT(value, OWN), EVENT(idle, OWN), EVENT(unattributed, OWN), EVENT(running_percent, ALL),
	FIELD_MAYBE(struct snapshot_event, error, ALL), EVENT(removed, ALL), EVENT(asked, ALL),
	EVENT(time, ALL),
	EVENT(frequency_hz, ALL),
	EVENT(period, ALL), EVENT(asked_period, ALL),
};

#define FRAME(member, seen) FIELD(struct block_frame, member, seen)
static const struct field frame_fields[] = {
	FRAME(number, OWN), FRAME(object, OWN), FRAME(raw, OWN), FRAME(object_path, OWN),
	FRAME(object_name, OWN),
	FIELD_MAYBE(struct block_frame, file, OWN), FRAME(line, OWN), FRAME(flags, OWN),
	FIELD_UNDER(struct block_frame, named_by, NAMED_BY_COUNT, OWN),
};

static const struct field node_fields[] = {
	FIELD(struct call_node, parent, OWN), FIELD(struct call_node, frame, OWN),
};

#define PROCESS(member, seen) FIELD(struct snapshot_process, member, seen)
static const struct field process_fields[] = {
	PROCESS(pid, ALL), PROCESS(tid, ALL), PROCESS(serial, ALL), PROCESS(ppid, ALL),
	PROCESS(uid, ALL), PROCESS(user, ALL),
	PROCESS(comm, ALL), PROCESS(command, ALL), PROCESS(kernel, ALL), PROCESS(exited, ALL),
	PROCESS(state, ALL),
	PROCESS(cpu_percent, ALL), PROCESS(threads, ALL), PROCESS(priority, ALL),
	PROCESS(nice, ALL),
	PROCESS(threads_seen, OWN), PROCESS(virtual_bytes, ALL), PROCESS(resident_bytes, ALL),
	PROCESS(shared_bytes, ALL), PROCESS(minor_faults, ALL), PROCESS(major_faults, ALL),
	PROCESS(voluntary_switches, ALL), PROCESS(involuntary_switches, ALL),
	PROCESS(read_bytes, OWN),
	PROCESS(written_bytes, OWN), PROCESS(cancelled_bytes, OWN), PROCESS(io_calls, OWN),
	PROCESS(delay_ns, ALL),
	FIELD_DOUBLES(struct snapshot_process, states_percent, OWN),
	PROCESS(proportional_bytes, OWN), PROCESS(swap_bytes, OWN), PROCESS(memory_age_s, OWN),
	PROCESS(start_ticks, ALL), PROCESS(cpu_time_s, ALL), PROCESS(sampled, OWN),
	FIELD_MAYBE(struct snapshot_process, cgroup, ALL),
	FIELD_MAYBE(struct snapshot_process, wchan, OWN),
	FIELD_MAYBE(struct snapshot_process, container, ALL), PROCESS(group, OWN),
	PROCESS(samples, OWN),
};

#define CELL(member, seen) FIELD(struct snapshot_cell, member, seen)
static const struct field cell_fields[] = {
	CELL(process, OWN), CELL(pid, OWN), CELL(tid, OWN), CELL(comm, OWN), CELL(frame, OWN),
	CELL(data, OWN), CELL(event, OWN),
	CELL(cpu, OWN), CELL(wait, OWN), CELL(group, OWN), CELL(node, OWN), CELL(samples, OWN),
	CELL(period, OWN), CELL(longest, OWN),
};

#define CPU(member, seen) FIELD(struct snapshot_cpu, member, seen)
static const struct field cpu_fields[] = {
	FIELD_UNDER(struct snapshot_cpu, facts.number, CPU_LIMIT, ALL), CPU(facts.online, ALL),
	CPU(facts.place.core, ALL), CPU(facts.place.llc, ALL), CPU(facts.place.node, ALL),
	CPU(facts.place.package, ALL),
	CPU(facts.place.type, ALL), CPU(facts.ghz, ALL), CPU(facts.user_percent, ALL),
	CPU(facts.system_percent, ALL),
	CPU(facts.irq_percent, ALL), CPU(facts.softirq_percent, ALL),
	CPU(facts.steal_percent, ALL),
	CPU(facts.iowait_percent, ALL), CPU(facts.idle_percent, ALL),
	CPU(facts.memory_rate, OWN), CPU(facts.local_rate, OWN), CPU(facts.held_bytes, OWN),
};

#define GROUP(member, seen) FIELD(struct snapshot_group, member, seen)
static const struct field group_fields[] = {
	GROUP(id, ALL), GROUP(parent, ALL), GROUP(path, ALL), GROUP(name, OWN),
	FIELD_UNDER(struct snapshot_group, kind, GROUP_KINDS, ALL), GROUP(gone, ALL),
	GROUP(processes, ALL),
	GROUP(cpu_percent, ALL),
};

#define GROUP_FACT(member) FIELD(struct group_facts, member, ALL)
static const struct field group_fact_fields[] = {
	GROUP_FACT(memory_bytes), GROUP_FACT(memory_max_bytes), GROUP_FACT(pids), GROUP_FACT(pids_max),
	GROUP_FACT(read_rate), GROUP_FACT(write_rate), GROUP_FACT(throttled_percent),
	FIELD_DOUBLES(struct group_facts, pressure, ALL),
};

#define OBJECT(member, seen) FIELD(struct snapshot_object, member, seen)
static const struct field object_fields[] = {
	OBJECT(object, OWN), OBJECT(path, OWN), OBJECT(name, OWN), OBJECT(source, OWN),
	OBJECT(missing, OWN), OBJECT(loading, OWN),
	OBJECT(build_id.bytes, OWN),
	FIELD_UNDER(struct snapshot_object, build_id.size, BUILD_ID_MAX + 1, OWN),
	OBJECT(symbols, OWN), OBJECT(bytes, OWN),
};

static const struct field slice_fields[] = {
	FIELD(struct snapshot_slice, from_ns, ALL), FIELD(struct snapshot_slice, to_ns, ALL),
};

static const struct field stack_end_fields[] = {
	FIELD(struct snapshot_stack_end, name, OWN), FIELD(struct snapshot_stack_end, text, OWN),
	FIELD(struct snapshot_stack_end, stacks, OWN),
};

static const struct field violation_fields[] = {
	FIELD(struct snapshot_violation, name, ALL), FIELD(struct snapshot_violation, text, ALL),
	FIELD(struct snapshot_violation, count, ALL), FIELD(struct snapshot_violation, total, ALL),
};

#define FUNCTION(member) FIELD(struct snapshot_function, member, OWN)
static const struct field function_fields[] = {
	FUNCTION(frame), FUNCTION(start), FUNCTION(end), FUNCTION(object), FUNCTION(moved),
	FUNCTION(build_id.bytes),
	FIELD_UNDER(struct snapshot_function, build_id.size, BUILD_ID_MAX + 1, OWN),
	FUNCTION(loading), FUNCTION(missing),
};

#define ADDRESS(member) FIELD(struct snapshot_address, member, OWN)
static const struct field address_fields[] = {
	ADDRESS(address), ADDRESS(cell.process), ADDRESS(cell.tid), ADDRESS(cell.event),
	ADDRESS(cell.cpu), ADDRESS(cell.samples), ADDRESS(cell.period),
};

#define CODE(member) FIELD(struct code, member, OWN)
static const struct field code_fields[] = {
	CODE(start), CODE(size), CODE(missing), CODE(no_lines),
};

#define INSTRUCTION(member) FIELD(struct code_instruction, member, OWN)
static const struct field instruction_fields[] = {
	INSTRUCTION(address), INSTRUCTION(target), INSTRUCTION(text), INSTRUCTION(line),
	INSTRUCTION(callee), INSTRUCTION(size),
	FIELD_UNDER(struct code_instruction, flow, CODE_RETURN + 1, OWN),
};

#define LINE(member, seen) FIELD(struct code_line, member, seen)
static const struct field line_fields[] = {
	LINE(file, OWN), LINE(line, OWN), LINE(label, OWN),
	FIELD_MAYBE(struct code_line, text, OWN),
};

static const struct field pid_fields[] = { { "pid", 0, sizeof(uint32_t), FIELD_RAW, 0, OWN } };

const struct fields layout_snapshot = FIELDS_OF(snapshot_fields, struct snapshot);

const struct fields layout_parts[PARTS] = {
	[PART_PIDS] = FIELDS_OF(pid_fields, uint32_t),
	[PART_EVENTS] = FIELDS_OF(event_fields, struct snapshot_event),
	[PART_FRAMES] = FIELDS_OF(frame_fields, struct block_frame),
	[PART_NODES] = FIELDS_OF(node_fields, struct call_node),
	[PART_PROCESSES] = FIELDS_OF(process_fields, struct snapshot_process),
	[PART_CELLS] = FIELDS_OF(cell_fields, struct snapshot_cell),
	[PART_CPUS] = FIELDS_OF(cpu_fields, struct snapshot_cpu),
	[PART_GROUPS] = FIELDS_OF(group_fields, struct snapshot_group),
	[PART_GROUP_FACTS] = FIELDS_OF(group_fact_fields, struct group_facts),
	[PART_OBJECTS] = FIELDS_OF(object_fields, struct snapshot_object),
	[PART_SLICES] = FIELDS_OF(slice_fields, struct snapshot_slice),
	[PART_STACK_ENDS] = FIELDS_OF(stack_end_fields, struct snapshot_stack_end),
	[PART_VIOLATIONS] = FIELDS_OF(violation_fields, struct snapshot_violation),
	[PART_FUNCTION] = FIELDS_OF(function_fields, struct snapshot_function),
	[PART_ADDRESSES] = FIELDS_OF(address_fields, struct snapshot_address),
	[PART_CODE] = FIELDS_OF(code_fields, struct code),
	[PART_INSTRUCTIONS] = FIELDS_OF(instruction_fields, struct code_instruction),
	[PART_LINES] = FIELDS_OF(line_fields, struct code_line),
};
/* clang-format on */

uint64_t layout_format(void)
{
	uint64_t hash = fields_hash(BLOCK_MAGIC, &layout_snapshot);

	for (size_t i = 0; i < PARTS; i++)
		hash = fields_hash(hash ^ i, &layout_parts[i]);
	return hash;
}
