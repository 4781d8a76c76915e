// SPDX-License-Identifier: GPL-3.0-or-later
// One hot method that the JVM compiles, for doc/SCREENS.md: `java Orders.java`.
public class Orders {
	static long total(long lines) {
		long cents = 1;
		for (long i = 0; i < lines; i++)
			cents = (cents * 31 + i) % 1000003;
		return cents;
	}

	public static void main(String[] args) {
		long sum = 0;
		while (sum >= 0)
			sum += total(100000) & 1;
	}
}
