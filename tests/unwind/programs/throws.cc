// SPDX-License-Identifier: GPL-3.0-or-later
// Exceptions: thrown through frames with and without handlers and destructors, caught, thrown again.
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
#include <unistd.h>

#include "trap.h"

#define APART __attribute__((noinline))

// With -DONCE it throws once and does little besides: an emulated machine takes a millisecond for each
// instruction that is followed, and throwing takes 36 000.
#ifdef ONCE
enum { ROUNDS = 1, BESIDES = 1 };
#else
enum { ROUNDS = 2, BESIDES = 50 };
#endif

volatile int sink;

struct guard {
	int *count;
	explicit guard(int *c) : count(c) { ++*count; }
	APART ~guard() { --*count; sink = sink + *count; }
};

APART int thrower(int depth, int *count)
{
	guard g(count);

	if (!depth)
		throw std::runtime_error("as deep as it goes");
	return thrower(depth - 1, count) + 1;
}

APART int rethrower(int depth)
{
	int count = 0;

	try {
		return thrower(depth, &count);
	} catch (const std::logic_error &) {
		return 1;
	} catch (...) {
		sink = sink + count;
		throw;
	}
}

APART int catcher(int depth)
{
	try {
#ifdef ONCE
		int count = 0;

		return thrower(depth, &count);
#else
		return rethrower(depth);
#endif
	} catch (const std::exception &e) {
		return static_cast<int>(std::string(e.what()).size()) + depth;
	}
}

int main()
{
	std::map<std::string, std::vector<int>> all;
	int sum = catcher(0);

	TRAP; // the exceptions' library is loaded and bound by now
	for (int i = 0; i < ROUNDS; i++) {
		all[std::to_string(catcher(i))].push_back(i);
		// What a program does besides: a library that restores registers rewrites its own frame,
		// 230 instructions a throw in which nobody can tell who called.
		for (int n = 0; n < BESIDES; n++)
			all[std::to_string(n * 37 % BESIDES)].push_back(n);
	}
	for (const auto &pair : all)
		sum += static_cast<int>(pair.second.size());
	std::printf("%d\n", sum);
	std::fflush(stdout);
	_exit(0);
}
