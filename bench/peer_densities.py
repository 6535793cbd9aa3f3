# SPDX-License-Identifier: GPL-3.0-or-later
"""The peer of bench_densities.c (see peer.h): the same densities and gradients by PyTorch, on one thread."""
import struct
import sys
import time

try:
    import torch
except ImportError:
    sys.exit(77)

DISTRIBUTIONS = {
    "normal": torch.distributions.Normal,
    "gamma": torch.distributions.Gamma,
    "student_t": torch.distributions.StudentT,
}
REALS = {"double": torch.double, "float": torch.float}
source, sink = sys.stdin.buffer, sys.stdout.buffer


def receive(count):
    return torch.frombuffer(bytearray(source.read(8 * count)), dtype=torch.double)


def send(tensor):
    sink.write(tensor.detach().double().numpy().tobytes())


class Job:
    """`density NAME REAL COUNT`, the count of each argument (1: a scalar), and their values: first the draws."""

    def __init__(self, name, real, *counts):
        self.make = DISTRIBUTIONS[name]
        self.leaves = []
        for count in map(int, counts):
            values = receive(count).to(REALS[real])
            self.leaves.append((values if count > 1 else values[0].clone()).requires_grad_())
        self.run()
        for result in [self.loss] + [leaf.grad for leaf in self.leaves]:
            send(result)

    def run(self):
        for leaf in self.leaves:
            leaf.grad = None  # faster than zeros: the first gradient is stored, not added
        x, *parameters = self.leaves
        self.loss = self.make(*parameters, validate_args=False).log_prob(x).sum()
        self.loss.backward()

    def seconds(self, count):
        self.run()
        start = time.perf_counter()
        for _ in range(count):
            self.run()
        return time.perf_counter() - start


def main():
    torch.set_num_threads(1)
    sink.write(f"ready PyTorch {torch.__version__}\n".encode())
    sink.flush()
    job = None
    for line in iter(source.readline, b""):
        word, *rest = line.decode().split()
        if word == "density":
            job = Job(*rest)
        else:
            sink.write(struct.pack("d", job.seconds(int(rest[0]))))
        sink.flush()


main()
