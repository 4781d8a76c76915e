# SPDX-License-Identifier: GPL-3.0-or-later
"""riscv64: the misses of the data TLB are counted as cache misses, instructions as references, so that a
loop of four instructions with one miss has 25 MISS%."""
import lab


class Misses(lab.Case):
    options = ("-n", "1", "-i", "2")
    # The kernel tests its ciphers when it has started.  A miss costs the emulator much, so few are made.
    script = r"""
while grep -qs cryptomgr_test /proc/[0-9]*/comm; do sleep 0.1; done
start ./spin 600; start nice -n 15 ./pages 600
sleep 0.3
screen misses -n 2 -d 0.5
shot processes -n 2 -d 0.5
"""

    def row(self, name):
        rows = [p for p in self.snapshot("processes")["processes"] if p["comm"] == name]
        self.assertEqual(len(rows), 1, name)
        return rows[0]

    def test_a_loop_that_touches_pages_misses(self):
        self.assertAlmostEqual(self.row("pages")["cache_miss_percent"], 24.6, delta=1)

    def test_a_loop_beside_it_does_not(self):
        self.assertLess(self.row("spin")["cache_miss_percent"], 0.1)

    def test_both_are_in_one_screen(self):
        text = self.shot("misses").text
        self.assertRegex(text, r"(?m)^ +\d+ +root .* 2[345]\.\d .*\./pages")
        self.assertRegex(text, r"(?m)^ +\d+ +root .* 0\.[01] .*\./spin")

    def test_both_have_the_ipc(self):
        for name in ("pages", "spin"):
            self.assertAlmostEqual(self.row(name)["ipc"], 0.25, delta=0.002)


CASES = (Misses,)
SCREEN = (Misses, "misses")
