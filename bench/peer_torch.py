# SPDX-License-Identifier: GPL-3.0-or-later
"""The peer of bench_densities.c and bench_elbo.c (see peer.h): the same values and gradients by PyTorch, on one
thread."""
import struct
import sys
import time

try:
    import torch
    from torch.nn.functional import binary_cross_entropy_with_logits, softplus
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
    """What can be `run`, again and again."""

    def seconds(self, count):
        self.run()
        start = time.perf_counter()
        for _ in range(count):
            self.run()
        return time.perf_counter() - start


class Density(Job):
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


class Elbo(Job):
    """`elbo REAL SAMPLES ROWS COLUMNS`: Bayesian logistic regression under independent normals. After x, y, mu, rho
    come draws, which the answer is for; what is timed makes its own."""

    def __init__(self, real, *sizes):
        self.samples, rows, columns = map(int, sizes)
        self.real = REALS[real]
        self.x = receive(rows * columns).to(self.real).reshape(rows, columns)
        self.y = receive(rows).to(self.real).expand(self.samples, rows)
        self.mu, self.rho = (receive(columns).to(self.real).requires_grad_() for _ in range(2))
        draws = receive(self.samples * columns).to(self.real).reshape(self.samples, columns)
        self.run((draws - self.mu.detach()) / softplus(self.rho.detach()))
        for result in self.loss, self.mu.grad, self.rho.grad:
            send(result)

    def run(self, noise=None):
        self.mu.grad = self.rho.grad = None
        if noise is None:
            noise = torch.randn(self.samples, len(self.mu), dtype=self.real)
        sigma = softplus(self.rho)
        logits = torch.addcmul(self.mu, sigma, noise) @ self.x.T
        misfit = binary_cross_entropy_with_logits(logits, self.y, reduction="sum") / self.samples
        divergence = (0.5 * (sigma * sigma + self.mu * self.mu - 1) - sigma.log()).sum()
        self.loss = misfit + divergence
        self.loss.backward()


JOBS = {"density": Density, "elbo": Elbo}


def main():
    torch.set_num_threads(1)
    sink.write(f"ready PyTorch {torch.__version__}\n".encode())
    sink.flush()
    job = None
    for line in iter(source.readline, b""):
        word, *rest = line.decode().split()
        if word in JOBS:
            job = JOBS[word](*rest)
        else:
            sink.write(struct.pack("d", job.seconds(int(rest[0]))))
        sink.flush()


main()
