# SPDX-License-Identifier: GPL-3.0-or-later
"""arm64: the instructions of a function, live."""
import lab

PERCENT = 0.2	# of a sample or two that fell elsewhere


class Code(lab.Case):
    """One instruction in four cycles, also at each address; see arm64.py."""
    options = ("-n", "1", "-i", "2")
    script = r"""
start ./spin 600
sleep 0.3
shot code -n 2 -d 2 -F 4000 -l 1000 --view annotate
screen annotate -n 2 -d 1 -F 4000 -l 1000 --view annotate
"""

    def test_each_address_has_the_ratios(self):
        function = self.snapshot("code")["function"]
        self.assertEqual(function["symbol"], "spin_here")
        hot = [i for i in function["instructions"] if i["samples"] > 100]
        self.assertTrue(hot, function)
        for instruction in hot:
            self.assertAlmostEqual(instruction["ipc"], 0.250, delta=0.002, msg=instruction)
            self.assertAlmostEqual(instruction["cache_miss_percent"], 25.0, delta=0.2, msg=instruction)

    def test_shares_are_the_whole(self):
        function = self.snapshot("code")["function"]
        whole = sum(i["share_percent"] or 0 for i in function["instructions"])
        self.assertAlmostEqual(whole, 100, delta=PERCENT)

    def test_the_screen_shows_them(self):
        self.assertRegex(self.shot("annotate").text, r"(?m)^ *\d+\.\d\d +\S+ +0\.25 +25\.0 ")


CASES = (Code,)
