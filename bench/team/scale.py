#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was measured with one process and two, and what that means for more: scale.py FILE.jsonl

Measured are steps of step.c, and sums of growing length over two processes. A model is fitted to them:

    local(b) = c + r b                           seconds of a step of b rows in one process, one thread
    exchange(P) = 2 (P − 1) a + 2 (P − 1)/P B/w  B bytes by pairwise exchange: latency a, bandwidth w
    words(P) = 2 (P − 1) a                       the two short messages of a run, gathered in a ring

and P members take max over members of local(batch / P) + words + exchange. The simulation plays the same in
virtual time, message by message: each member's local time has noise (5 %), and a round of an exchange ends
for a pair when both have come. Networks are not measured but assumed: 30 µs and 10 Gbit/s, 2 µs and
100 Gbit/s. Nodes are as fast as this machine with one thread."""
import json
import random
import statistics
import sys

NETWORKS = {"10 Gbit/s, 30 µs": (30e-6, 10e9 / 8), "100 Gbit/s, 2 µs": (2e-6, 100e9 / 8)}
NODES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
NOISE, STEPS = 0.05, 5


def read(path):
    """Medians over the runs of one kind: {(members, threads, batch): row}, {bytes: seconds}."""
    steps, exchanges = {}, {}
    for line in open(path, encoding="utf-8"):
        row = json.loads(line)
        if "exchange" in row:
            exchanges.setdefault(row["bytes"], []).append(row["exchange"])
        else:
            steps.setdefault((row["members"], row["threads"], row["batch"]), []).append(row)
    for key, rows in steps.items():
        steps[key] = dict(rows[0], seconds=statistics.median(r["seconds"] for r in rows), runs=len(rows))
    return steps, {b: statistics.median(x) for b, x in exchanges.items()}


def line_through(points):
    """Least squares of relative errors: y = a + b x."""
    w = [1 / y ** 2 for _, y in points]
    n = sum(w)
    x, y = (sum(p[i] * v for p, v in zip(points, w)) / n for i in (0, 1))
    b = (sum(v * (p[0] - x) * (p[1] - y) for p, v in zip(points, w)) /
         sum(v * (p[0] - x) ** 2 for p, v in zip(points, w)))
    return y - b * x, b


def exchange(members, size, latency, bandwidth):
    return 2 * (members - 1) * latency + 2 * (members - 1) / members * size / bandwidth


def modelled(local, size, batch, members, network):
    if members == 1:
        return local(batch)
    latency, bandwidth = network
    return local(batch / members) + 2 * (members - 1) * latency + exchange(members, size, latency, bandwidth)


def simulated(local, size, batch, members, network, draw):
    """Virtual time: when each member is done with a step, round by round."""
    latency, bandwidth = network
    now = [0.0] * members
    piece = size / members / bandwidth
    for _ in range(STEPS):
        for rounds, each in ((members - 1, latency), (2 * (members - 1), latency + piece),
                             (members - 1, latency)):
            if each > latency:
                now = [t + local(batch / members) * (1 + NOISE * abs(draw.gauss(0, 1))) for t in now]
            for k in range(1, rounds + 1):
                far = (k - 1) % max(members - 1, 1) + 1
                now = [max(now[i], now[i - far]) + each for i in range(members)]
    return max(now) / STEPS


def main():
    steps, exchanges = read(sys.argv[1])
    size = next(row["bytes"] for key, row in steps.items() if key[0] == 2)
    print("| batch | one process, two threads | two processes | of its speed | one process, one thread |")
    print("|---|---|---|---|---|")
    for batch in (1024, 128):
        two, team, one = (steps[key]["seconds"] for key in ((1, 2, batch), (2, 1, batch), (1, 1, batch)))
        print(f"| {batch} | {1e3 * two:.1f} ms | {1e3 * team:.1f} ms | {100 * two / team:.0f} % | "
              f"{1e3 * one:.1f} ms |")
    row = steps[2, 1, 1024]
    print(f"\nA member sends {row['messages']:g} messages in a step, of {row['bytes']:.0f} bytes together.\n")
    fixed, each = line_through([(key[2], r["seconds"]) for key, r in steps.items() if key[:2] == (1, 1)])
    latency, slope = line_through([(b, s) for b, s in exchanges.items()])
    print(f"local(b) = {1e3 * fixed:.1f} ms + {1e6 * each:.1f} µs b; exchanges here: "
          f"{1e6 * latency:.1f} µs and {1e-9 / slope:.2f} GB/s\n")

    def local(batch):
        return fixed + each * batch

    draw = random.Random(1)
    for name, network in NETWORKS.items():
        print(f"\n{name}: speed-up over one node, model (simulation)\n")
        print("| nodes | batch 1024 | batch 128 per node |\n|---|---|---|")
        for members in NODES[1:]:
            cells = []
            for batch in (1024, 128 * members):
                alone = local(batch)
                cells.append(f"{alone / modelled(local, size, batch, members, network):.1f} "
                             f"({alone / simulated(local, size, batch, members, network, draw):.1f})")
            print(f"| {members} | {cells[0]} | {cells[1]} |")


main()
