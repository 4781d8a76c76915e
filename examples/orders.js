// SPDX-License-Identifier: GPL-3.0-or-later
// One hot function that V8 compiles, for doc/SCREENS.md.
function total(lines) {
	let cents = 1;
	for (let i = 0; i < lines; i++)
		cents = (cents * 31 + i) % 1000003;
	return cents;
}

function orders() {
	let sum = 0;
	for (let i = 0; i < 1000; i++)
		sum += total(10000);
	return sum;
}

for (;;)
	orders();
