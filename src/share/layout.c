/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "share/layout.h"

#define BLOCK_MAGIC 0x3031504f54507370ull

/* clang-format off */
#define ROOT(member) FIELD(struct snapshot, member)
static const struct field snapshot_fields[] = {
	ROOT(version), ROOT(time_ns), ROOT(interval_s), ROOT(cells_s), ROOT(halvings),
	ROOT(iteration),

	ROOT(host.name), ROOT(host.kernel), ROOT(host.arch), ROOT(host.cpus), ROOT(host.uptime_s),
	FIELD_DOUBLES(struct snapshot, host.load), ROOT(host.tasks), ROOT(host.running),
	ROOT(host.cpu_percent), ROOT(host.user_percent), ROOT(host.system_percent),
	ROOT(host.idle_percent), ROOT(host.iowait_percent), ROOT(host.steal_percent),
	FIELD_DOUBLES(struct snapshot, host.pressure), ROOT(host.memory_total_bytes),
	ROOT(host.memory_used_bytes), ROOT(host.swap_total_bytes), ROOT(host.swap_used_bytes),
	ROOT(host.ticks_per_s), ROOT(host.read_s),

	ROOT(target.mode), FIELD_MAYBE(struct snapshot, target.cgroup),

	ROOT(sampling.tier), ROOT(sampling.tier_reason), ROOT(sampling.notes),
	ROOT(sampling.frequency_hz), ROOT(sampling.period), ROOT(sampling.asked_hz),
	ROOT(sampling.waits_summed), ROOT(sampling.stack_period), ROOT(sampling.stack_threads), ROOT(sampling.sampled_counters),
	ROOT(sampling.calls_without_stacks), ROOT(sampling.call_threads), ROOT(sampling.call_part),
	ROOT(sampling.budget_percent), ROOT(sampling.cost_percent), ROOT(sampling.over_budget),
	ROOT(sampling.samples), ROOT(sampling.lost), ROOT(sampling.throttled),
	ROOT(sampling.lost_sideband), ROOT(sampling.foreign_times), ROOT(sampling.total_samples),
	ROOT(sampling.total_lost), ROOT(sampling.total_lost_sideband), ROOT(sampling.read_samples),
	ROOT(sampling.settled_samples), ROOT(sampling.unresolved_percent),
	ROOT(sampling.unnamed_percent), ROOT(sampling.stacks_complete_percent),
	ROOT(sampling.python_percent),
	ROOT(sampling.python_bpf_percent),
	ROOT(sampling.own_cpu_percent), ROOT(sampling.loading), ROOT(sampling.hardware),
	ROOT(sampling.user_only), ROOT(sampling.losses), ROOT(sampling.account),
	ROOT(sampling.merged_cells), ROOT(sampling.merged_stacks),

	ROOT(past.kept), ROOT(past.from_ns), ROOT(past.to_ns), ROOT(past.began_ns), ROOT(past.now_ns),
	FIELD_OF(struct snapshot, past.realtime_ns, FIELD_RAW, 0), ROOT(past.merged),
};

#define EVENT(member) FIELD(struct snapshot_event, member)
static const struct field event_fields[] = {
	EVENT(name), FIELD_UNDER(struct snapshot_event, id, EVENT_IDS),
	FIELD_MAYBE(struct snapshot_event, canonical), EVENT(exclude_user), EVENT(exclude_kernel),
	FIELD_MAYBE(struct snapshot_event, unit), EVENT(sampled), EVENT(enabled), EVENT(samples),
	EVENT(value), EVENT(idle), EVENT(unattributed), EVENT(running_percent),
	FIELD_MAYBE(struct snapshot_event, error), EVENT(removed), EVENT(time), EVENT(frequency_hz),
	EVENT(period), EVENT(asked_period),
};

#define FRAME(member) FIELD(struct block_frame, member)
static const struct field frame_fields[] = {
	FRAME(number), FRAME(object), FRAME(raw), FRAME(object_path), FRAME(object_name),
	FIELD_MAYBE(struct block_frame, file), FRAME(line), FRAME(flags),
	FIELD_UNDER(struct block_frame, named_by, NAMED_BY_COUNT), FRAME(address),
};

static const struct field node_fields[] = {
	FIELD(struct call_node, parent), FIELD(struct call_node, frame),
};

#define PROCESS(member) FIELD(struct snapshot_process, member)
static const struct field process_fields[] = {
	PROCESS(pid), PROCESS(tid), PROCESS(serial), PROCESS(ppid), PROCESS(uid), PROCESS(user),
	PROCESS(comm), PROCESS(command), PROCESS(kernel), PROCESS(exited), PROCESS(state),
	PROCESS(cpu_percent), PROCESS(threads), PROCESS(priority), PROCESS(nice),
	PROCESS(threads_seen), PROCESS(virtual_bytes), PROCESS(resident_bytes),
	PROCESS(shared_bytes), PROCESS(minor_faults), PROCESS(major_faults),
	PROCESS(voluntary_switches), PROCESS(involuntary_switches), PROCESS(read_bytes),
	PROCESS(written_bytes), PROCESS(cancelled_bytes), PROCESS(io_calls), PROCESS(delay_ns),
	FIELD_DOUBLES(struct snapshot_process, states_percent),
	PROCESS(proportional_bytes), PROCESS(swap_bytes), PROCESS(memory_age_s),
	PROCESS(start_ticks), PROCESS(cpu_time_s), PROCESS(sampled),
	FIELD_MAYBE(struct snapshot_process, cgroup), FIELD_MAYBE(struct snapshot_process, wchan),
	FIELD_MAYBE(struct snapshot_process, container), PROCESS(group), PROCESS(samples),
};

#define CELL(member) FIELD(struct snapshot_cell, member)
static const struct field cell_fields[] = {
	CELL(process), CELL(pid), CELL(tid), CELL(comm), CELL(frame), CELL(data), CELL(event),
	CELL(cpu), CELL(wait), CELL(group), CELL(node), CELL(samples), CELL(period), CELL(longest),
};

#define CPU(member) FIELD(struct snapshot_cpu, member)
static const struct field cpu_fields[] = {
	FIELD_UNDER(struct snapshot_cpu, facts.number, CPU_LIMIT), CPU(facts.online),
	CPU(facts.place.core), CPU(facts.place.llc), CPU(facts.place.node), CPU(facts.place.package),
	CPU(facts.place.type), CPU(facts.ghz), CPU(facts.user_percent), CPU(facts.system_percent),
	CPU(facts.irq_percent), CPU(facts.softirq_percent), CPU(facts.steal_percent),
	CPU(facts.iowait_percent), CPU(facts.idle_percent),
};

#define GROUP(member) FIELD(struct snapshot_group, member)
static const struct field group_fields[] = {
	GROUP(id), GROUP(parent), GROUP(path), GROUP(name),
	FIELD_UNDER(struct snapshot_group, kind, GROUP_KINDS), GROUP(gone), GROUP(processes),
	GROUP(cpu_percent), GROUP(facts.memory_bytes), GROUP(facts.memory_max_bytes),
	GROUP(facts.pids), GROUP(facts.pids_max), GROUP(facts.read_rate), GROUP(facts.write_rate),
	GROUP(facts.throttled_percent), FIELD_DOUBLES(struct snapshot_group, facts.pressure),
};

#define OBJECT(member) FIELD(struct snapshot_object, member)
static const struct field object_fields[] = {
	OBJECT(object), OBJECT(path), OBJECT(name), OBJECT(source), OBJECT(missing), OBJECT(loading),
	OBJECT(build_id.bytes), FIELD_UNDER(struct snapshot_object, build_id.size, BUILD_ID_MAX + 1),
	OBJECT(symbols), OBJECT(bytes),
};

static const struct field slice_fields[] = {
	FIELD(struct snapshot_slice, from_ns), FIELD(struct snapshot_slice, to_ns),
};

static const struct field stack_end_fields[] = {
	FIELD(struct snapshot_stack_end, name), FIELD(struct snapshot_stack_end, text),
	FIELD(struct snapshot_stack_end, stacks),
};

static const struct field violation_fields[] = {
	FIELD(struct snapshot_violation, name), FIELD(struct snapshot_violation, text),
	FIELD(struct snapshot_violation, count), FIELD(struct snapshot_violation, total),
};

static const struct field pid_fields[] = { { "pid", 0, sizeof(uint32_t), FIELD_RAW, 0 } };

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
	[PART_OBJECTS] = FIELDS_OF(object_fields, struct snapshot_object),
	[PART_SLICES] = FIELDS_OF(slice_fields, struct snapshot_slice),
	[PART_STACK_ENDS] = FIELDS_OF(stack_end_fields, struct snapshot_stack_end),
	[PART_VIOLATIONS] = FIELDS_OF(violation_fields, struct snapshot_violation),
};
/* clang-format on */

uint64_t layout_format(void)
{
	uint64_t hash = fields_hash(BLOCK_MAGIC, &layout_snapshot);

	for (size_t i = 0; i < PARTS; i++)
		hash = fields_hash(hash ^ i, &layout_parts[i]);
	return hash;
}
