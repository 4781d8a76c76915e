// SPDX-License-Identifier: GPL-3.0-or-later
// Exceptions: thrown through frames with and without handlers and destructors, caught, thrown again.
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
#include <unistd.h>

#define APART __attribute__((noinline))

// From here on the test follows; the exceptions' library is loaded and bound by then.
#if defined(__x86_64__)
#define TRAP __asm__ volatile("int3")
#else
#define TRAP __asm__ volatile("brk #0")
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
		return rethrower(depth);
	} catch (const std::exception &e) {
		return static_cast<int>(std::string(e.what()).size()) + depth;
	}
}

int main()
{
	std::map<std::string, std::vector<int>> all;
	int sum = catcher(0);

	TRAP;
	for (int i = 0; i < 2; i++) {
		all[std::to_string(catcher(i))].push_back(i);
		// What a program does besides: a library that restores registers rewrites its own frame,
		// 230 instructions a throw in which nobody can tell who called.
		for (int n = 0; n < 50; n++)
			all[std::to_string(n * 37 % 50)].push_back(n);
	}
	for (const auto &pair : all)
		sum += static_cast<int>(pair.second.size());
	std::printf("%d\n", sum);
	std::fflush(stdout);
	_exit(0);
}
