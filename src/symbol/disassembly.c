/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/disassembly.h"

#include "base/i18n.h"

#ifdef HAVE_CAPSTONE
#include <capstone/capstone.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"

#define INSTRUCTIONS_A_LOOK 1024 /* instructions between two checks of the checkpoint */
#define TEXT_BYTES 224           /* mnemonic and operands; capstone makes less */

static bool has_group(const cs_insn *in, uint8_t group)
{
	for (uint8_t i = 0; i < in->detail->groups_count; i++) {
		if (in->detail->groups[i] == group)
			return true;
	}
	return false;
}

static void describe_x86(struct instruction *to, const cs_insn *in)
{
	const cs_x86 *x86 = &in->detail->x86;

	if (has_group(in, CS_GRP_CALL))
		to->flow = FLOW_CALL;
	else if (has_group(in, CS_GRP_RET) || has_group(in, CS_GRP_IRET))
		to->flow = FLOW_RETURN;
	else if (has_group(in, CS_GRP_JUMP))
		to->flow =
			in->id == X86_INS_JMP || in->id == X86_INS_LJMP ? FLOW_JUMP : FLOW_BRANCH;
	if (to->flow && x86->op_count && x86->operands[0].type == X86_OP_IMM)
		to->target = (uint64_t)x86->operands[0].imm;
}

/* capstone's groups leave out some calls and returns, and the condition of a branch. */
static enum instruction_flow arm64_flow(const cs_insn *in)
{
	const arm64_cc cc = in->detail->arm64.cc;

	switch (in->id) {
	case ARM64_INS_BL:
	case ARM64_INS_BLR:
		return FLOW_CALL;
	case ARM64_INS_RET:
	case ARM64_INS_ERET:
		return FLOW_RETURN;
	case ARM64_INS_B:
		return cc == ARM64_CC_INVALID || cc == ARM64_CC_AL ? FLOW_JUMP : FLOW_BRANCH;
	case ARM64_INS_BR:
		return FLOW_JUMP;
	case ARM64_INS_CBZ:
	case ARM64_INS_CBNZ:
	case ARM64_INS_TBZ:
	case ARM64_INS_TBNZ:
		return FLOW_BRANCH;
	default:
		return FLOW_NEXT;
	}
}

static void describe_arm64(struct instruction *to, const cs_insn *in)
{
	const cs_arm64 *arm = &in->detail->arm64;

	to->flow = arm64_flow(in);
	if (to->flow && arm->op_count && arm->operands[arm->op_count - 1].type == ARM64_OP_IMM)
		to->target = (uint64_t)arm->operands[arm->op_count - 1].imm;
}

static const struct machine {
	uint16_t machine;
	cs_arch arch;
	cs_mode mode;
	bool att;
	void (*describe)(struct instruction *to, const cs_insn *in);
} machines[] = {
	{ EM_X86_64, CS_ARCH_X86, CS_MODE_64, true, describe_x86 },
	{ EM_386, CS_ARCH_X86, CS_MODE_32, true, describe_x86 },
	{ EM_AARCH64, CS_ARCH_ARM64, CS_MODE_ARM, false, describe_arm64 },
};

static const struct machine *machine_find(uint16_t machine)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		if (machines[i].machine == machine)
			return &machines[i];
	}
	return NULL;
}

static bool open_capstone(const struct machine *m, csh *handle)
{
	if (cs_open(m->arch, m->mode, handle) != CS_ERR_OK)
		return false;
	cs_option(*handle, CS_OPT_DETAIL, CS_OPT_ON);
	cs_option(*handle, CS_OPT_SKIPDATA, CS_OPT_ON);
	if (m->att)
		cs_option(*handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	return true;
}

static const char *text_of(struct strtab *texts, const cs_insn *in)
{
	char text[TEXT_BYTES];

	snprintf(text, sizeof(text), "%s%s%s", in->mnemonic, *in->op_str ? " " : "", in->op_str);
	return strtab_add(texts, text);
}

/* Skipped data has the id 0 and no details. */
static struct instruction instruction_of(const struct machine *m, const cs_insn *in,
					 struct strtab *texts)
{
	struct instruction to = { .address = in->address,
				  .size = (uint8_t)in->size,
				  .text = text_of(texts, in) };

	if (in->id && in->detail)
		m->describe(&to, in);
	return to;
}

static bool must_stop(const struct disassembly_request *r, size_t count)
{
	return count == DISASSEMBLY_MAX ||
	       (r->stop && count % INSTRUCTIONS_A_LOOK == 0 && r->stop(r->context));
}

struct instruction *disassembly_make(const struct disassembly_request *r, struct strtab *texts,
				     size_t *count, struct error *err)
{
	const struct machine *m = machine_find(r->machine);
	struct instruction *all = NULL;
	const uint8_t *code = r->code;
	uint64_t address = r->address;
	size_t size = r->size, capacity = 0;
	cs_insn *in;
	csh handle;

	*count = 0;
	if (!m || !open_capstone(m, &handle)) {
		error_set(err, _("no disassembler for code of machine %u"), r->machine);
		return NULL;
	}
	in = cs_malloc(handle);
	while (in && !must_stop(r, *count) && cs_disasm_iter(handle, &code, &size, &address, in)) {
		mem_grow((void **)&all, &capacity, *count + 1, sizeof(*all));
		all[(*count)++] = instruction_of(m, in, texts);
	}
	if (in)
		cs_free(in, 1);
	cs_close(&handle);
	return all;
}
#else
struct instruction *disassembly_make(const struct disassembly_request *r, struct strtab *texts,
				     size_t *count, struct error *err)
{
	(void)r;
	(void)texts;
	*count = 0;
	error_set(err, "%s", _("ptop was built without capstone, which disassembles"));
	return NULL;
}
#endif
