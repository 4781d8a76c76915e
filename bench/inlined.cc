// SPDX-License-Identifier: GPL-3.0-or-later
// Deep stacks of templates that are mostly inlined, with much debugging information: built several
// times with another NUMBER, and once with MAIN, which calls them all for some CPU seconds.
#ifdef MAIN
#include <cstdlib>
#include <ctime>

unsigned long work0(unsigned), work1(unsigned), work2(unsigned), work3(unsigned);
volatile unsigned long sink;

int main(int, char **words)
{
	unsigned long (*const all[])(unsigned) = { work0, work1, work2, work3 };
	clock_t end = clock() + atoi(words[1]) * CLOCKS_PER_SEC;

	for (unsigned i = 0; clock() < end; i++)
		sink = sink + all[i % 4](i);
}
#else
#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <regex>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)

template <int N> struct number {
	unsigned value;
	bool operator<(const number &other) const { return value < other.value; }
};

static std::map<std::string, std::vector<number<NUMBER>>> table;
static std::unordered_map<std::string, std::function<unsigned long(int)>> functions;

static unsigned long fill(std::mt19937 &random)
{
	unsigned long sum = 0;

	for (int i = 0; i < 200; i++) {
		auto &row = table[std::to_string(random() % 100)];

		row.push_back({ (unsigned)random() });
		std::sort(row.begin(), row.end());
		row.resize(std::min<size_t>(row.size(), 40));
		sum += row.size();
	}
	return sum;
}

unsigned long JOIN(work, NUMBER)(unsigned seed)
{
	static const std::regex word("([a-f]+)([0-9]*|x(y|z)*)-(.*)");
	std::mt19937 random(seed);
	std::deque<std::shared_ptr<number<NUMBER>>> queue;
	std::ostringstream text;
	unsigned long sum = fill(random);

	for (int i = 0; i < 40; i++)
		text << std::hex << random() << '-' << char('a' + random() % 26);
	const std::string all = text.str();
	for (std::sregex_iterator it(all.begin(), all.end(), word), end; it != end; ++it)
		sum += it->length();
	functions[all.substr(0, 2)] = [sum](int x) { return x + sum; };
	for (auto &f : functions)
		sum += f.second((int)f.first.size());
	for (int i = 0; i < 200; i++)
		queue.push_back(std::make_shared<number<NUMBER>>(number<NUMBER>{ (unsigned)random() }));
	std::stable_sort(queue.begin(), queue.end(),
			 [](const auto &a, const auto &b) { return *a < *b; });
	return sum + queue.front()->value;
}
#endif
