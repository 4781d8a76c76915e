/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/cfi-entry.h"

/* Pointer encodings: LSB Core 5, 10.5. */
#define PE_FORMAT 0x0f
#define PE_RELATION 0x70
#define PE_PCREL 0x10
#define PE_INDIRECT 0x80

/* The head of an entry, of either kind. */
struct entry {
	size_t offset, next; /* in the section; next: the entry behind it */
	size_t id_at;
	uint64_t id;
	bool wide; /* 64-bit DWARF */
	bool is_cie, is_end;
	struct bytes body; /* behind the id */
};

static struct bytes section_from(const struct cfi_section *s, size_t offset)
{
	return offset <= s->size ? bytes_of(s->bytes + offset, s->size - offset)
				 : (struct bytes){ .failed = true };
}

static bool entry_read(const struct cfi_section *s, size_t offset, struct entry *e)
{
	struct bytes b = section_from(s, offset);
	uint64_t size = bytes_u32(&b);
	const uint8_t *body;

	e->offset = offset;
	e->wide = size == UINT32_MAX;
	if (e->wide)
		size = bytes_u64(&b);
	e->is_end = !b.failed && size == 0;
	if (b.failed || e->is_end || size > b.left)
		return false;
	body = b.at;
	b.left = size;
	e->next = (size_t)(body - s->bytes) + size;
	e->id_at = (size_t)(body - s->bytes);
	e->id = e->wide ? bytes_u64(&b) : bytes_u32(&b);
	e->is_cie = e->id == (!s->debug ? 0 : e->wide ? UINT64_MAX : UINT32_MAX);
	e->body = b;
	return !b.failed;
}

uint64_t cfi_pointer_read(struct bytes *b, uint8_t encoding, const struct cfi_section *s)
{
	uint64_t at = s->address + (uint64_t)(b->at - s->bytes), value = 0;

	switch (encoding & PE_FORMAT) {
	case 0x0:
	case 0x4:
	case 0xc: /* as wide as an address, 8 unsigned, 8 signed */
		value = bytes_u64(b);
		break;
	case 0x1:
		value = cursor_uleb(b);
		break;
	case 0x2:
		value = bytes_u16(b);
		break;
	case 0x3:
		value = bytes_u32(b);
		break;
	case 0x9:
		value = (uint64_t)cursor_sleb(b);
		break;
	case 0xa:
		value = (uint64_t)(int64_t)(int16_t)bytes_u16(b);
		break;
	case 0xb:
		value = (uint64_t)(int64_t)(int32_t)bytes_u32(b);
		break;
	default:
		b->failed = true;
	}
	if ((encoding & PE_RELATION) == PE_PCREL)
		return value + at;
	if (encoding & (PE_RELATION | PE_INDIRECT))
		b->failed = true;
	return value;
}

/* Reads the letters of the augmentation behind its 'z'; each letter names a part of its data. */
static void cie_augmentation(struct cfi_cie *c, struct bytes *data, const char *letters,
			     const struct cfi_section *s)
{
	for (; *letters; letters++) {
		uint8_t encoding;

		switch (*letters) {
		case 'R':
			c->encoding = bytes_u8(data);
			break;
		case 'P':
			encoding = bytes_u8(data);
			/*
			 * The address of the language's routine is not needed, only the size of the
			 * pointer.
			 */
			cfi_pointer_read(data, encoding & PE_FORMAT, s);
			break;
		case 'L':
			bytes_u8(data);
			break;
		case 'S':
			c->signal = true;
			break;
		case 'B':
		case 'G': /* aarch64: which key signs, memory tags */
			break;
		default: /* the data behind an unknown letter is unknown */
			return;
		}
	}
}

struct cfi_cie cfi_cie_read(const struct cfi_section *s, size_t offset)
{
	struct cfi_cie c = { .usable = false };
	struct bytes head;
	struct entry e;
	const char *letters;
	uint8_t version;

	if (!entry_read(s, offset, &e) || !e.is_cie)
		return c;
	head = bytes_of(e.body.at, e.body.left < CFI_CIE_HEAD_MAX ? e.body.left : CFI_CIE_HEAD_MAX);
	version = bytes_u8(&head);
	letters = cursor_string(&head);
	if (!letters || (version != 1 && version != 3 && version != 4))
		return c;
	if (version == 4 && (bytes_u8(&head) != 8 || bytes_u8(&head) != 0))
		return c; /* the sizes of an address and of a segment's number */
	c.code_align = cursor_uleb(&head);
	c.data_align = cursor_sleb(&head);
	c.ra_column = version == 1 ? bytes_u8(&head) : cursor_uleb(&head);
	c.sized = *letters == 'z';
	if (c.sized) {
		size_t size = cursor_uleb(&head);
		struct bytes data = bytes_part(&head, size);

		cie_augmentation(&c, &data, letters + 1, s);
		head.failed |= data.failed;
	}
	bytes_take(&e.body, (size_t)(head.at - e.body.at));
	c.instructions = e.body;
	c.usable = !head.failed && (c.sized || !*letters);
	return c;
}

static bool entry_cie(const struct cfi_section *s, const struct entry *e, size_t *offset)
{
	*offset = s->debug ? e->id : e->id_at - e->id;
	return s->debug ? e->id < s->size : e->id <= e->id_at;
}

bool cfi_fde_cie(const struct cfi_section *s, size_t offset, size_t *cie)
{
	struct entry e;

	return entry_read(s, offset, &e) && entry_cie(s, &e, cie);
}

/* Reads E, a description and no CIE. */
static bool fde_read(const struct cfi_section *s, const struct entry *e, const struct cfi_cie *c,
		     struct cfi_fde *f)
{
	struct bytes b = e->body;

	if (!c->usable)
		return false;
	f->offset = e->offset;
	f->start = cfi_pointer_read(&b, c->encoding, s);
	f->size = cfi_pointer_read(&b, c->encoding & PE_FORMAT, s);
	if (c->sized)
		bytes_take(&b, cursor_uleb(&b));
	f->instructions = b;
	return !b.failed;
}

bool cfi_fde_read(const struct cfi_section *s, size_t offset, const struct cfi_cie *c,
		  struct cfi_fde *f)
{
	struct entry e;

	return entry_read(s, offset, &e) && fde_read(s, &e, c, f);
}

/* The CIE of E, which is mostly that of the entry before. */
static bool walk_cie(struct cfi_walk *w, const struct entry *e)
{
	size_t offset;

	if (!entry_cie(w->section, e, &offset))
		return false;
	if (offset + 1 != w->cie_mark)
		w->cie = cfi_cie_read(w->section, offset);
	w->cie_mark = offset + 1;
	return true;
}

bool cfi_walk_next(struct cfi_walk *w)
{
	struct entry e = { .is_end = true };

	while (w->next < w->section->size && entry_read(w->section, w->next, &e)) {
		w->next = e.next;
		if (e.is_cie)
			continue;
		if (walk_cie(w, &e) && fde_read(w->section, &e, &w->cie, &w->fde))
			return true;
		w->malformed++;
	}
	if (w->next < w->section->size && !e.is_end)
		w->malformed++;
	w->next = w->section->size;
	return false;
}
