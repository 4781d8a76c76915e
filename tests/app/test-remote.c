/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "app/remote-words.h"
#include "base/buf.h"

/* The words that ssh is run with for the words of ARGV, each in brackets; or "", with ERR set. */
static char *words_of(char **argv, struct error *err)
{
	struct options o;
	struct buf out = { 0 };
	struct remote_words w;
	int argc = 0;

	while (argv[argc])
		argc++;
	options_init(&o);
	buf_add_str(&out, "");
	err->text[0] = '\0';
	if (!options_parse(&o, argc, argv, err)) {
		remote_words_make(&w, &o);
		buf_printf(&out, "%s:", w.host);
		for (size_t i = 0; w.argv[i]; i++)
			buf_printf(&out, " [%s]", w.argv[i]);
		remote_words_fini(&w);
	}
	options_fini(&o);
	return out.bytes;
}

#define ALIVE "[-T] [-oServerAliveInterval=5] [-oServerAliveCountMax=3]"
#define SERVE "--serve=- --allow=events,stacks,code"

static void assert_words(const char *expected, char **argv)
{
	struct error err;
	char *words = words_of(argv, &err);

	assert_string_equal(err.text, "");
	assert_string_equal(words, expected);
	free(words);
}

#define WORDS(...) ((char *[]){ (char *)"ptop", __VA_ARGS__, NULL })
#define URL(text) ((char *)"--attach=ssh://" text)

UNIT_TEST(parts_of_the_url_are_words_of_ssh)
{
	assert_words("box: " ALIVE " [--] [box] [ptop " SERVE "]", WORDS(URL("box")));
	assert_words("box: " ALIVE " [--] [box] [ptop " SERVE "]", WORDS(URL("box/")));
	assert_words("me@box.example.org:2222: " ALIVE
		     " [-p2222] [-lme] [--] [box.example.org] [/opt/ptop-1+2/bin/ptop " SERVE "]",
		     WORDS(URL("me@box.example.org:2222/opt/ptop-1+2/bin/ptop")));
	assert_words("[fe80::1%eth0]:22: " ALIVE " [-p22] [--] [fe80::1%eth0] [ptop " SERVE "]",
		     WORDS(URL("[fe80::1%eth0]:22")));
	assert_words("me@[::1]: " ALIVE " [-lme] [--] [::1] [ptop " SERVE "]",
		     WORDS(URL("me@[::1]")));
}

UNIT_TEST(what_is_measured_is_said_there)
{
	assert_words("box: " ALIVE " [--] [box] [ptop " SERVE " --pid='1,2' --freq='99' "
		     "--call-graph='auto' --delay='0.5' --event='cycles' "
		     "--event='sched:*' --filter='comm == \"a\"']",
		     WORDS(URL("box"), (char *)"-d0.5", (char *)"-F99", (char *)"-g",
			   (char *)"-p1,2", (char *)"-ecycles", (char *)"-esched:*",
			   (char *)"--filter=comm == \"a\"", (char *)"-n3", (char *)"--sort=cpu%"));
	assert_words("box: " ALIVE " [--] [box] [ptop " SERVE " --event='cycles' --count=1000]",
		     WORDS(URL("box"), (char *)"-c1000", (char *)"-ecycles"));
}

/* The shell there sees one word, whatever is in it. */
UNIT_TEST(no_text_ends_its_quotes)
{
	assert_words("box: " ALIVE " [--] [box] [ptop " SERVE
		     " --cgroup='a'\\''; reboot; '\\''$(x)\n']",
		     WORDS(URL("box"), (char *)"--cgroup=a'; reboot; '$(x)\n"));
}

UNIT_TEST(what_may_be_an_option_or_more_than_a_word_is_refused)
{
	static const char *const bad[] = { "",
					   "-oProxyCommand=x",
					   "-x@box",
					   "box;reboot",
					   "box$(x)",
					   "a b",
					   "me@-x",
					   "@box",
					   "me@",
					   "box:",
					   "box:0",
					   "box:65536",
					   "box:22x",
					   "box:-1",
					   "[::1",
					   "[::1]x",
					   "[-x]:22",
					   "a@b@c",
					   "box/a b",
					   "box/a;b",
					   "box/'x",
					   "b\xc3\xb6x",
					   "box\n",
					   "[]",
					   "me:word@box",
					   "box/$HOME/p" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		char option[128];
		struct error err;
		char *words;

		snprintf(option, sizeof(option), "--attach=ssh://%s", bad[i]);
		words = words_of(WORDS(option), &err);
		if (*words)
			fail_msg("'%s' is %s", bad[i], words);
		assert_non_null(strstr(err.text, "is not ssh://"));
		free(words);
	}
}

UNIT_TEST(what_is_of_this_machine_alone_is_refused)
{
	static char *const here[] = { (char *)"--record=x", (char *)"--listen=1",
				      (char *)"--base=x",   (char *)"--time=1,2",
				      (char *)"--serve",    (char *)"--input=x" };

	for (size_t i = 0; i < sizeof(here) / sizeof(*here); i++) {
		struct error err;
		char *words = words_of(WORDS(URL("box"), here[i]), &err);

		assert_string_equal(words, "");
		assert_true(err.text[0]);
		free(words);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_of_the_url_are_words_of_ssh),
		cmocka_unit_test(what_is_measured_is_said_there),
		cmocka_unit_test(no_text_ends_its_quotes),
		cmocka_unit_test(what_may_be_an_option_or_more_than_a_word_is_refused),
		cmocka_unit_test(what_is_of_this_machine_alone_is_refused),
	};

	return unit_run(tests);
}
