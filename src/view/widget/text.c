/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/widget/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#define REPLACEMENT 0xfffdu
#define UNICODE_LAST 0x10ffffu

struct text_range {
	uint32_t first, last;
};

/* Ascending.  Characters that move the cursor, start an escape, reorder, hide or end a line. */
static const struct text_range text_hostile[] = {
	{ 0x0001, 0x001f },   /* C0: ESC, newline, tab, … */
	{ 0x007f, 0x009f },   /* DEL, C1: 0x9b is CSI for an 8-bit terminal */
	{ 0x00ad, 0x00ad },   /* soft hyphen: seen or not as the terminal likes */
	{ 0x061c, 0x061c },   /* Arabic letter mark */
	{ 0x180e, 0x180e },   /* Mongolian vowel separator */
	{ 0x200b, 0x200b },   /* zero width space */
	{ 0x200e, 0x200f },   /* left-to-right, right-to-left mark */
	{ 0x2028, 0x202e },   /* line and paragraph separator, bidirectional overrides */
	{ 0x2060, 0x206f },   /* invisible operators, bidirectional isolates */
	{ 0xfdd0, 0xfdef },   /* non-characters */
	{ 0xfeff, 0xfeff },   /* byte order mark */
	{ 0xfff9, 0xfffb },   /* interlinear annotations */
	{ 0xe0000, 0xe0fff }, /* tags: text that nobody sees */
};

/*
 * Ascending.  Joiners and selectors: harmless in data, left out on screen, because terminals do not
 * agree on how wide the thing is that they make.
 */
static const struct text_range text_joiners[] = {
	{ 0x200c, 0x200d }, /* zero width (non-)joiner */
	{ 0xfe00, 0xfe0f }, /* variation selectors */
};

static bool range_has(const struct text_range *ranges, size_t count, uint32_t c)
{
	for (size_t i = 0; i < count && ranges[i].first <= c; i++) {
		if (c <= ranges[i].last)
			return true;
	}
	return false;
}

static bool is_hostile(uint32_t c)
{
	return (c & 0xfffe) == 0xfffe ||
	       range_has(text_hostile, sizeof(text_hostile) / sizeof(*text_hostile), c);
}

static bool is_joiner(uint32_t c)
{
	return range_has(text_joiners, sizeof(text_joiners) / sizeof(*text_joiners), c);
}

static size_t sequence_size(unsigned char lead)
{
	if (lead < 0x80)
		return 1;
	if (lead >= 0xc2 && lead <= 0xdf)
		return 2;
	if (lead >= 0xe0 && lead <= 0xef)
		return 3;
	return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

/*
 * Decodes the character at S, which has LEFT bytes, at least one; *USED: its bytes.  UTF-8 as in
 * RFC 3629: no overlong forms, no surrogates, nothing past U+10FFFF.  A byte that begins no
 * complete sequence becomes one U+FFFD.  Never reads past a NUL.
 */
static uint32_t decode(const char *s, size_t left, size_t *used)
{
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *p = (const unsigned char *)s;
	size_t size = sequence_size(p[0]);
	uint32_t c;

	*used = 1;
	if (size == 1)
		return p[0];
	if (!size || size > left)
		return REPLACEMENT;
	c = p[0] & (0x7fu >> size);
	for (size_t i = 1; i < size; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return REPLACEMENT;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < smallest[size] || c > UNICODE_LAST || (c >= 0xd800 && c <= 0xdfff))
		return REPLACEMENT;
	*used = size;
	return c;
}

size_t text_encode(uint32_t c, char out[4])
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

/* How many of the SIZE bytes at S come before the first that is no printable ASCII. */
static size_t plain_size(const char *s, size_t size)
{
	size_t i = 0;

	while (i < size && s[i] >= ' ' && s[i] <= '~')
		i++;
	return i;
}

static void add_clean(struct buf *out, uint32_t c, bool ascii)
{
	char bytes[4];

	if (!c || is_hostile(c))
		c = REPLACEMENT;
	if (ascii && c >= 0x80)
		c = '?';
	buf_add(out, bytes, text_encode(c, bytes));
}

void text_sanitize(struct buf *out, const char *s, size_t size, bool ascii)
{
	while (size) {
		size_t used = plain_size(s, size);

		if (used)
			buf_add(out, s, used);
		else
			add_clean(out, decode(s, size, &used), ascii);
		s += used;
		size -= used;
	}
}

uint32_t text_next(const char **s, int *width)
{
	uint32_t c;
	size_t used;

	do {
		c = **s ? decode(*s, strnlen(*s, 4), &used) : 0;
		*width = c != 0;
		if (!c)
			return 0;
		*s += used;
	} while (c >= 0x80 && is_joiner(c));
	if (c >= 0x20 && c < 0x7f)
		return c;
	if (c == REPLACEMENT || is_hostile(c))
		return REPLACEMENT;
	*width = wcwidth((wchar_t)c);
	if (*width >= 0)
		return c;
	*width = 1; /* the locale knows no such character */
	return REPLACEMENT;
}

int text_width(const char *s)
{
	int sum = 0, width;

	while (text_next(&s, &width))
		sum += width;
	return sum;
}

/* A line may break at a space, and beside a wide character, but for what belongs to the other side. */
static bool may_break(uint32_t before, int before_width, uint32_t after, int width)
{
	static const wchar_t closing[] = L"、。，．：；？！）］｝」』】〕〉》”’ー々ぁぃぅぇぉっゃゅ"
					 L"ょァィゥェォッャュョ,.:;?!)]}%";
	static const wchar_t opening[] = L"（［｛「『【〔〈《“‘([{";

	if (before == ' ' || after == ' ')
		return after == ' ';
	return (before_width == 2 || width == 2) && !wcschr(closing, (wchar_t)after) &&
	       !wcschr(opening, (wchar_t)before);
}

size_t text_wrap(const char *s, int width)
{
	const char *at = s, *next = s, *end = NULL;
	int used = 0, wide, former_wide = 0;
	uint32_t c, former = ' ';

	for (; (c = text_next(&next, &wide)); at = next) {
		if (at > s && wide && may_break(former, former_wide, c, wide))
			end = at;
		if (used + wide > width)
			return (size_t)((end ? end : at > s ? at : next) - s);
		if (!wide)
			continue;
		used += wide;
		former = c;
		former_wide = wide;
	}
	return (size_t)(at - s);
}

static bool is_ascii(const char *s)
{
	while (*s && (unsigned char)*s < 0x80)
		s++;
	return !*s;
}

/* Returns true if HAYSTACK begins with NEEDLE, ignoring case. */
static bool begins_with(const char *haystack, const char *needle)
{
	int width;

	while (*needle) {
		uint32_t a = text_next(&needle, &width), b = text_next(&haystack, &width);

		if (towlower(a) != towlower(b))
			return false;
	}
	return true;
}

#define PART_GAP "   "

const char *text_part(const char *s, size_t number)
{
	for (; number && *s; number--) {
		s = strstr(s, PART_GAP);
		if (!s)
			return "";
		s += strspn(s, " ");
	}
	return s;
}

/* The blanks between two parts belong to the first one. */
size_t text_part_at(const char *s, int column)
{
	size_t part = 0;
	int at = 0, width;

	for (const char *next = text_part(s, 1); *next; next = text_part(s, 1)) {
		for (; s < next; at += width)
			text_next(&s, &width);
		if (at > column)
			break;
		part++;
	}
	return part;
}

bool text_contains(const char *haystack, const char *needle)
{
	int width;

	if (is_ascii(needle))
		return strcasestr(haystack, needle);
	do {
		if (begins_with(haystack, needle))
			return true;
	} while (text_next(&haystack, &width));
	return false;
}

/* Formats VALUE, less than 1024, with UNIT in at most five columns: 3.2M, 96.1M, 431M. */
static void scaled_format(char out[16], double value, char unit)
{
	snprintf(out, 16, value < 99.95 ? "%.1f%c" : "%.0f%c", value, unit);
}

void text_bytes(char out[16], int64_t bytes)
{
	static const char units[] = "KMGTPE";
	double value = (double)bytes / 1024;
	size_t unit = 0;

	if (bytes < 0) {
		strcpy(out, "-");
		return;
	}
	if (bytes < 1024) {
		snprintf(out, 16, "%d", (int)bytes);
		return;
	}
	for (; value >= 1023.5; unit++)
		value /= 1024;
	scaled_format(out, value, units[unit]);
}

void text_count(char out[16], double count)
{
	static const char units[] = "kMGTPE";
	double value = count / 1000;
	size_t unit = 0;

	if (isnan(count) || count < 0) {
		strcpy(out, "-");
		return;
	}
	if (count > 0 && count < 1) {
		strcpy(out, "<1");
		return;
	}
	if (count < 9999.5) {
		snprintf(out, 16, "%.0f", count);
		return;
	}
	for (; value >= 999.5 && units[unit + 1]; unit++)
		value /= 1000;
	if (value < 999.5)
		scaled_format(out, value, units[unit]);
	else
		snprintf(out, 16, "%.0e", count);
}

void text_grouped(char out[32], uint64_t count)
{
	char digits[24];
	int size = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)count);
	char *p = out;

	for (int i = 0; i < size; i++) {
		if (i && (size - i) % 3 == 0)
			*p++ = ' ';
		*p++ = digits[i];
	}
	*p = '\0';
}

void text_duration(char out[16], double seconds)
{
	unsigned long long hundredths, minutes;

	if (isnan(seconds) || seconds < 0 || seconds > 1e12) {
		strcpy(out, "-");
		return;
	}
	hundredths = (unsigned long long)(seconds * 100 + 0.5);
	minutes = hundredths / 6000;
	if (minutes < 1000)
		snprintf(out, 16, "%llu:%02llu.%02llu", minutes, hundredths / 100 % 60,
			 hundredths % 100);
	else if (minutes < 60 * 10000)
		snprintf(out, 16, "%lluh%02llu", minutes / 60, minutes % 60);
	else
		snprintf(out, 16, "%llud", minutes / 60 / 24);
}
