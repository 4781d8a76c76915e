/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <math.h>

#include "view/golden.h"
#include "view/widget/text.h"

static char *sanitized(const char *s, size_t size, bool ascii)
{
	struct buf out = { 0 };

	text_sanitize(&out, s, size, ascii);
	buf_add_str(&out, "");
	return out.bytes;
}

/* A second opinion on UTF-8: the well-formed sequences of table 3-7 of the Unicode standard. */
static const struct {
	unsigned char low[4], high[4];
	size_t size;
} well_formed[] = {
	{ { 0x00 }, { 0x7f }, 1 },
	{ { 0xc2, 0x80 }, { 0xdf, 0xbf }, 2 },
	{ { 0xe0, 0xa0, 0x80 }, { 0xe0, 0xbf, 0xbf }, 3 },
	{ { 0xe1, 0x80, 0x80 }, { 0xec, 0xbf, 0xbf }, 3 },
	{ { 0xed, 0x80, 0x80 }, { 0xed, 0x9f, 0xbf }, 3 },
	{ { 0xee, 0x80, 0x80 }, { 0xef, 0xbf, 0xbf }, 3 },
	{ { 0xf0, 0x90, 0x80, 0x80 }, { 0xf0, 0xbf, 0xbf, 0xbf }, 4 },
	{ { 0xf1, 0x80, 0x80, 0x80 }, { 0xf3, 0xbf, 0xbf, 0xbf }, 4 },
	{ { 0xf4, 0x80, 0x80, 0x80 }, { 0xf4, 0x8f, 0xbf, 0xbf }, 4 },
};

static size_t sequence_at(const unsigned char *s, size_t left)
{
	for (size_t i = 0; i < sizeof(well_formed) / sizeof(well_formed[0]); i++) {
		size_t j = 0;

		while (j < well_formed[i].size && j < left && s[j] >= well_formed[i].low[j] &&
		       s[j] <= well_formed[i].high[j])
			j++;
		if (j == well_formed[i].size)
			return j;
	}
	return 0;
}

/* Well-formed, and no byte or character that does anything to a terminal. */
static void assert_harmless(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t left = strlen(text);

	while (left) {
		size_t size = sequence_at(s, left);

		assert_int_not_equal(size, 0);
		assert_true(s[0] >= 0x20 && s[0] != 0x7f);
		assert_false(s[0] == 0xc2 && s[1] < 0xa0);
		s += size;
		left -= size;
	}
}

static void assert_ascii(const char *text)
{
	for (; *text; text++)
		assert_true(*text >= 0x20 && *text < 0x7f);
}

static void check_bytes(const char *bytes, size_t size)
{
	char *utf8 = sanitized(bytes, size, false), *ascii = sanitized(bytes, size, true);

	assert_harmless(utf8);
	assert_ascii(ascii);
	free(utf8);
	free(ascii);
}

UNIT_TEST(test_every_byte_pair)
{
	for (int a = 0; a < 256; a++) {
		for (int b = 0; b < 256; b++) {
			char pair[] = { (char)a, (char)b, 'x' };

			check_bytes(pair, 2);
			check_bytes(pair, 3);
		}
	}
}

UNIT_TEST(test_every_character)
{
	for (uint32_t c = 1; c <= 0x10ffff; c++) {
		char bytes[5] = "";
		const char *p = bytes;
		uint32_t shown;
		int width = -1;

		bytes[text_encode(c, bytes)] = '\0';
		check_bytes(bytes, strlen(bytes));
		shown = text_next(&p, &width);
		assert_true(!shown || shown == c || shown == 0xfffd);
		assert_true(width >= 0 && width <= 2);
		if (c < 0x20 || (c >= 0x7f && c < 0xa0))
			assert_int_equal(shown, 0xfffd);
	}
}

UNIT_TEST(test_every_truncation)
{
	static const char whole[] = "a\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x98\x80";

	for (size_t size = 0; size < sizeof(whole); size++) {
		/* A copy of exactly that size: a read past its end is seen by the sanitizers. */
		char *part = malloc(size + 1);

		memcpy(part, whole, size);
		part[size] = '\0';
		check_bytes(part, size);
		assert_true(text_width(part) >= 0);
		free(part);
	}
}

#define FFFD "\xef\xbf\xbd"

static const struct {
	const char *bytes, *utf8, *ascii;
} hostile[] = {
	{ "plain", "plain", "plain" },
	{ "\033[2J", FFFD "[2J", "?[2J" },
	{ "a\tb\nc\r", "a" FFFD "b" FFFD "c" FFFD, "a?b?c?" },
	{ "\x7f", FFFD, "?" },
	{ "\xc2\x9b"
	  "31m",
	  FFFD "31m", "?31m" },          /* C1 CSI */
	{ "\xc0\xaf", FFFD FFFD, "??" }, /* overlong '/' */
	{ "\xe0\x80\xaf", FFFD FFFD FFFD, "???" },
	{ "\xed\xa0\x80", FFFD FFFD FFFD, "???" },           /* surrogate */
	{ "\xf4\x90\x80\x80", FFFD FFFD FFFD FFFD, "????" }, /* past U+10FFFF */
	{ "\xe2\x80\xae"
	  "abc",
	  FFFD "abc", "?abc" },            /* right-to-left override */
	{ "\xe2\x81\xa6", FFFD, "?" },     /* isolate */
	{ "\xe2\x80\xa8", FFFD, "?" },     /* line separator */
	{ "\xe2\x80\x8b", FFFD, "?" },     /* zero width space */
	{ "\xef\xbb\xbf", FFFD, "?" },     /* byte order mark */
	{ "\xef\xbf\xbe", FFFD, "?" },     /* U+FFFE */
	{ "\xf3\xa0\x81\xa1", FFFD, "?" }, /* tag 'a' */
	{ "caf\xc3\xa9", "caf\xc3\xa9", "caf?" },
	{ "\xe6\xbc\xa2", "\xe6\xbc\xa2", "?" },
};

UNIT_TEST(test_hostile)
{
	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		size_t size = strlen(hostile[i].bytes);
		char *utf8 = sanitized(hostile[i].bytes, size, false);
		char *ascii = sanitized(hostile[i].bytes, size, true);

		assert_string_equal(utf8, hostile[i].utf8);
		assert_string_equal(ascii, hostile[i].ascii);
		free(utf8);
		free(ascii);
	}
}

UNIT_TEST(test_nul_inside)
{
	char *text = sanitized("a\0b", 3, true);

	assert_string_equal(text, "a?b");
	free(text);
}

UNIT_TEST(test_widths)
{
	assert_int_equal(text_width(""), 0);
	assert_int_equal(text_width("abc"), 3);
	assert_int_equal(text_width("\xe6\xbc\xa2\xe5\xad\x97"), 4);
	assert_int_equal(text_width("e\xcc\x81"), 1); /* combining acute */
	assert_int_equal(text_width("\xf0\x9f\x98\x80"), 2);
	/* woman, joiner, laptop: two pictures side by side; heart with a selector: one column */
	assert_int_equal(text_width("\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb"), 4);
	assert_int_equal(text_width("\xe2\x9d\xa4\xef\xb8\x8f"), 1);
	assert_int_equal(text_width("\xff\xfe"), 2);
}

/* The lines of TEXT, ended by a '|' each. */
static void check_lines(const char *text, int width, const char *expected)
{
	char lines[256];
	size_t size = 0;

	for (size_t n; *text; text += n + strspn(text + n, " ")) {
		n = text_wrap(text, width);
		size += (size_t)snprintf(lines + size, sizeof(lines) - size, "%.*s|", (int)n, text);
	}
	assert_string_equal(lines, expected);
}

UNIT_TEST(test_wrap)
{
	check_lines("one two three", 7, "one two|three|");
	check_lines("one twothree", 5, "one|twoth|ree|");
	check_lines("漢字漢字漢字", 5, "漢字|漢字|漢字|");
	check_lines("abc 漢字漢字", 9, "abc 漢字|漢字|");
	check_lines("漢字 abc", 6, "漢字|abc|");
	check_lines("漢字。漢字", 4, "漢|字。|漢字|"); /* no line begins with a full stop */
	check_lines("漢「字」漢", 6, "漢|「字」|漢|"); /* nor ends with a bracket that opens */
	check_lines("漢e\xcc\x81\xcc\x81字", 3, "漢e\xcc\x81\xcc\x81|字|");
}

UNIT_TEST(test_contains)
{
	assert_true(text_contains("anything", ""));
	assert_true(text_contains("", ""));
	assert_true(text_contains("PostGres", "greS"));
	assert_false(text_contains("postgres", "greses"));
	assert_true(text_contains("Stra\xc3\x9f"
				  "e \xc3\x89t\xc3\xa9",
				  "\xc3\xa9T\xc3\x89"));
	assert_false(text_contains("ete", "\xc3\xa9t\xc3\xa9"));
	assert_true(text_contains("aa\xc3\xa9", "a\xc3\xa9"));
}

static const struct {
	int64_t bytes;
	const char *text;
} byte_texts[] = {
	{ -1, "-" },
	{ 0, "0" },
	{ 1023, "1023" },
	{ 1024, "1.0K" },
	{ 3355443, "3.2M" },
	{ 100768153, "96.1M" },
	{ 104857599, "100M" },
	{ 1048575, "1.0M" },
	{ 1047552, "1023K" },
	{ 451936256, "431M" },
	{ 1288490188, "1.2G" },
	{ INT64_MAX, "8.0E" },
};

static const struct {
	double count;
	const char *text;
} count_texts[] = {
	{ NAN, "-" },       { -1, "-" },         { 0, "0" },         { 0.3, "<1" },
	{ 0.99, "<1" },     { 1, "1" },          { 1.5, "2" },       { 1994, "1994" },
	{ 9999.4, "9999" }, { 9999.5, "10.0k" }, { 21345, "21.3k" }, { 99949, "99.9k" },
	{ 99951, "100k" },  { 999499, "999k" },  { 999500, "1.0M" }, { 4.1e6, "4.1M" },
	{ 6.4e9, "6.4G" },  { 1.8e19, "18.0E" }, { 1e21, "1e+21" },
};

static const struct {
	double seconds;
	const char *text;
} duration_texts[] = {
	{ NAN, "-" },
	{ -1, "-" },
	{ 0, "0:00.00" },
	{ 62.33, "1:02.33" },
	{ 59.999, "1:00.00" },
	{ 3725.5, "62:05.50" },
	{ 59999.99, "999:59.99" },
	{ 60000, "16h40" },
	{ 35999940, "9999h59" },
	{ 36000000, "416d" },
};

UNIT_TEST(test_numbers)
{
	char out[16];

	for (size_t i = 0; i < sizeof(byte_texts) / sizeof(byte_texts[0]); i++) {
		text_bytes(out, byte_texts[i].bytes);
		assert_string_equal(out, byte_texts[i].text);
	}
	for (size_t i = 0; i < sizeof(count_texts) / sizeof(count_texts[0]); i++) {
		text_count(out, count_texts[i].count);
		assert_string_equal(out, count_texts[i].text);
	}
	for (size_t i = 0; i < sizeof(duration_texts) / sizeof(duration_texts[0]); i++) {
		text_duration(out, duration_texts[i].seconds);
		assert_string_equal(out, duration_texts[i].text);
	}
}

UNIT_TEST(test_grouped)
{
	char out[32];

	text_grouped(out, 0);
	assert_string_equal(out, "0");
	text_grouped(out, 999);
	assert_string_equal(out, "999");
	text_grouped(out, 1994);
	assert_string_equal(out, "1 994");
	text_grouped(out, UINT64_MAX);
	assert_string_equal(out, "18 446 744 073 709 551 615");
}

/* A wide character is two columns, and the blanks behind a part are its. */
UNIT_TEST(test_parts)
{
	static const char hints[] = "Enter sorts   矢印 移動   Esc  back";
	static const size_t parts_at[] = { 0, 13, 14, 25, 26, 1000 },
			    numbers[] = { 0, 0, 1, 1, 2, 2 };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		assert_int_equal(text_part_at(hints, (int)parts_at[i]), numbers[i]);
	assert_int_equal(text_part_at(hints, -1), 0);
	assert_int_equal(text_part_at("", 3), 0);
	assert_string_equal(text_part(hints, 0), hints);
	assert_string_equal(text_part(hints, 2), "Esc  back");
	assert_string_equal(text_part(hints, 3), "");
	assert_string_equal(text_part("a   ", 1), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_byte_pair),
		cmocka_unit_test(test_every_character),
		cmocka_unit_test(test_every_truncation),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_nul_inside),
		cmocka_unit_test(test_widths),
		cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_contains),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_grouped),
		cmocka_unit_test(test_parts),
	};

	if (!golden_locale()) {
		puts("no UTF-8 locale: widths cannot be tested");
		return UNIT_SKIP;
	}
	return unit_run(tests);
}
