# SPDX-License-Identifier: GPL-3.0-or-later
"""A server's work without its network, for doc/SCREENS.md: it reads orders that are JSON until it is ended."""
import json

ORDER = json.dumps({"lines": [{"product": f"product-{n}", "count": n} for n in range(200)]})


def parse(text):
    return json.loads(text)


def handle(text):
    return sum(line["count"] for line in parse(text)["lines"])


def serve():
    while True:
        handle(ORDER)


serve()
