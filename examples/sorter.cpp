// SPDX-License-Identifier: GPL-3.0-or-later
// A stripped program whose functions have no names, for doc/SCREENS.md: `g++ -O2 -s -o sorter sorter.cpp`.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

static __attribute__((noinline)) std::vector<std::string> names(unsigned seed)
{
	std::vector<std::string> all;
	for (unsigned i = 0; i < 20000; i++)
		all.push_back("customer-number-" + std::to_string((seed = seed * 1103515245 + 12345) >> 8));
	return all;
}

static __attribute__((noinline)) std::size_t count(const std::vector<std::string> &all)
{
	std::map<std::string, int> letters;
	for (const std::string &name : all)
		letters[name.substr(16, 2)]++;
	return letters.size();
}

int main()
{
	std::size_t sum = 1;
	while (sum) {
		std::vector<std::string> all = names(static_cast<unsigned>(sum));
		std::sort(all.begin(), all.end());
		sum += count(all);
	}
}
