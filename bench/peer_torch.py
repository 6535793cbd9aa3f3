# SPDX-License-Identifier: GPL-3.0-or-later
"""The peer of bench_densities.c, bench_discrete.c, bench_elbo.c, bench_networks.c and layers.c (see peer.h):
the same values and gradients by PyTorch, on one thread."""
import math
import struct
import sys
import time

try:
    import torch
    from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, dropout, softplus
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
    """A job with a method `run`, which can be repeated."""

    def seconds(self, count):
        self.run()
        start = time.perf_counter()
        for _ in range(count):
            self.run()
        return time.perf_counter() - start


class Density(Job):
    """`density NAME REAL COUNT ...`: the count of each argument (1: a scalar), then all values, draws
    first."""

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
    """`elbo REAL SAMPLES ROWS COLUMNS`: Bayesian logistic regression under independent normals. After x, y,
    mu and rho come draws, for which the answer is computed; timed runs make their own draws."""

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


class Network(Job):
    """`WORD BATCH WIDTH WIDTH ...`: x, y, then initial weights and biases. The answer is the mean misfit."""

    data_size, rate, looks = 60000, 1e-3, 200

    def __init__(self, *sizes):
        batch, *self.widths = map(int, sizes)
        self.x = receive(batch * self.widths[0]).float().reshape(batch, -1)
        self.y = receive(batch * self.widths[-1]).float().reshape(batch, -1)
        shapes = [shape for i, o in zip(self.widths, self.widths[1:]) for shape in ((i, o), (o,))]
        self.weights = [
            receive(torch.Size(shape).numel()).float().reshape(shape).clone().requires_grad_()
            for shape in shapes
        ]
        self.optimiser = torch.optim.Adam(self.parameters(), lr=self.rate)
        with torch.no_grad():
            send(sum(self.losses()[0] for _ in range(self.looks)) / self.looks)

    def parameters(self):
        return self.weights

    def run(self):
        self.optimiser.zero_grad(set_to_none=True)
        sum(self.losses()).backward()
        self.optimiser.step()


class Mixture(Network):
    """Bayes by Backprop with the scale mixture prior: KL sampled, the mean cross-entropy."""

    def parameters(self):
        self.rhos = [torch.full_like(mu, -3.0).requires_grad_() for mu in self.weights]
        return self.weights + self.rhos

    def losses(self):
        draws, divergence = [], 0.0
        wide, narrow = torch.distributions.Normal(0.0, 1.0), torch.distributions.Normal(0.0, math.exp(-6))
        for mu, rho in zip(self.weights, self.rhos):
            sigma = softplus(rho)
            noise = torch.randn_like(mu)
            w = torch.addcmul(mu, sigma, noise)
            log_q = (-0.5 * noise * noise - sigma.log()).sum() - 0.5 * math.log(2 * math.pi) * w.numel()
            log_p = (torch.logaddexp(wide.log_prob(w), narrow.log_prob(w)) + math.log(0.5)).sum()
            divergence = divergence + log_q - log_p
            draws.append(w)
        h = self.x
        for layer in range(0, len(draws), 2):
            h = torch.addmm(draws[layer + 1], h, draws[layer])
            h = h.relu() if layer + 2 < len(draws) else h
        misfit = cross_entropy(h, self.y.argmax(1))
        return misfit, divergence / self.data_size


class Local(Network):
    """Local reparameterisation: pre-activations drawn for each row, exact KL to N(0, 0.1^2)."""

    def parameters(self):
        self.rhos = [torch.full_like(mu, -3.0).requires_grad_() for mu in self.weights]
        return self.weights + self.rhos

    def losses(self):
        h, divergence = self.x, 0.0
        for layer in range(0, len(self.weights), 2):
            (w, b), (rho_w, rho_b) = self.weights[layer : layer + 2], self.rhos[layer : layer + 2]
            sigmas = softplus(rho_w), softplus(rho_b)
            variances = [sigma.square() for sigma in sigmas]
            mean = torch.addmm(b, h, w)
            deviation = torch.addmm(variances[1], h.square(), variances[0]).sqrt()
            h = torch.addcmul(mean, deviation, torch.randn_like(mean))
            h = h.relu() if layer + 2 < len(self.weights) else h
            for mu, sigma, variance in zip((w, b), sigmas, variances):
                squares = 50 * (variance + mu * mu)
                divergence = divergence + (squares - 0.5 - sigma.log() + math.log(0.1)).sum()
        return cross_entropy(h, self.y.argmax(1)), divergence / self.data_size


class Dropout(Network):
    """MC-dropout: a mask of the inputs of each layer for each row, squared errors, L2 penalties."""

    def __init__(self, *sizes):
        torch.set_flush_denormal(True)  # as the tape does
        super().__init__(*sizes)

    def losses(self):
        h, penalty = self.x, 0.0
        for layer in range(0, len(self.weights), 2):
            w, b = self.weights[layer : layer + 2]
            h = torch.addmm(b, dropout(h, 0.1), w)
            h = h.relu() if layer + 2 < len(self.weights) else h
            penalty = penalty + 0.5 * (0.9 * (w * w).sum() + (b * b).sum())
        misfit = 0.5 * (self.y - h).square().sum(1).mean() + 0.5 * math.log(2 * math.pi)
        return misfit, penalty / self.data_size


class Belief(Job):
    """`WORD BATCH PIXELS BITS PARTICLES`: a sigmoid belief network with one layer of bits; x, then w and c of
    p(x | z), v and d of q(z | x). The answer is the mean loss."""

    rate, looks = 1e-3, 200

    def __init__(self, *sizes):
        batch, pixels, bits, self.particles = map(int, sizes)
        self.x = receive(batch * pixels).float().reshape(batch, pixels)
        shapes = (bits, pixels), (pixels,), (pixels, bits), (bits,)
        self.w, self.c, self.v, self.d = weights = [
            receive(torch.Size(shape).numel()).float().reshape(shape).clone().requires_grad_()
            for shape in shapes
        ]
        self.top = torch.zeros(bits).requires_grad_()
        self.optimiser = torch.optim.Adam([*weights, self.top], lr=self.rate)
        with torch.no_grad():
            send(sum(self.losses()[1] for _ in range(self.looks)) / self.looks)

    def log_joint(self, z):
        """log p(x, z) of each row, for draws along the first axis."""
        out = torch.addmm(self.c, z.reshape(-1, z.shape[-1]), self.w).reshape(*z.shape[:2], -1)
        log_prior = z @ self.top - softplus(self.top).sum()
        return (out * self.x).sum(-1) - softplus(out).sum(-1) + log_prior

    def run(self):
        self.optimiser.zero_grad(set_to_none=True)
        self.losses()[0].backward()
        self.optimiser.step()


class DisARM(Belief):
    def losses(self):
        """What is differentiated, and its value."""
        logits = torch.addmm(self.d, self.x, self.v)
        with torch.no_grad():
            u, p = torch.rand_like(logits), torch.sigmoid(logits)
            z = torch.stack((u > 1 - p, u < p)).float()
            log_q = (z * logits).sum(-1) - softplus(logits).sum(-1)
        log_p = self.log_joint(z)
        with torch.no_grad():
            f = log_p - log_q
            slope = (0.5 * (f[0] - f[1])).unsqueeze(-1) * (z[0] - z[1]) * torch.sigmoid(logits.abs())
        return -log_p.mean() - (slope * logits).sum() / len(self.x), -f.mean()


class VIMCO(Belief):
    def losses(self):
        count, logits = self.particles, torch.addmm(self.d, self.x, self.v)
        with torch.no_grad():
            z = (torch.rand(count, *logits.shape) < torch.sigmoid(logits)).float()
        log_q = (z * logits).sum(-1) - softplus(logits).sum(-1)
        weights = self.log_joint(z) - log_q
        bound = weights.logsumexp(0) - math.log(count)
        with torch.no_grad():
            others = (weights.sum(0) - weights) / (count - 1)
            is_own = torch.eye(count, dtype=torch.bool).unsqueeze(-1)
            instead = torch.where(is_own, others.unsqueeze(1), weights.unsqueeze(0))
            signal = bound - (instead.logsumexp(1) - math.log(count))
        return -bound.mean() - (signal * log_q).sum() / len(self.x), -bound.mean()


class Bit(Job):
    """`bit ESTIMATOR COUNT`: so many gradients of E (b - t)^2 in the logit of one bit, and the mean, the
    variance, and the standard errors of both."""

    phi, t, temperature = torch.tensor(1.0, dtype=torch.double), 0.499, 0.5

    def __init__(self, estimator, count):
        self.gradients, self.count = getattr(self, estimator), int(count)
        self.run()
        send(torch.stack(self.moments))

    def run(self):
        g = self.gradients()
        variance, mean = torch.var_mean(g)
        square = (g - mean).square_()
        fourth = torch.dot(square, square) / self.count
        error = ((fourth - variance.square()).clamp(min=0) / self.count).sqrt()
        self.moments = mean, (variance / self.count).sqrt(), variance, error

    def cost(self, b):
        return (b - self.t).square()

    def noise(self):
        return torch.rand(self.count, dtype=torch.double)

    @torch.no_grad()
    def score(self):
        p = torch.sigmoid(self.phi)
        b = (self.noise() < p).double()
        return self.cost(b) * (b - p)

    def rebar(self):
        phi = self.phi.expand(self.count).requires_grad_()
        with torch.no_grad():
            first, second = self.noise().logit_(), self.noise().logit_()
        z = phi + first
        with torch.no_grad():
            b = (z > 0).double()
            sign = 2 * b - 1
        z_given_b = sign * softplus(second + softplus(sign * phi))
        relaxed = self.cost(torch.sigmoid(z / self.temperature))
        conditional = self.cost(torch.sigmoid(z_given_b / self.temperature))
        (path,) = torch.autograd.grad((relaxed - conditional).sum(), phi)
        with torch.no_grad():
            return (self.cost(b) - conditional) * (b - torch.sigmoid(self.phi)) + path

    def pair(self):
        u, p = self.noise(), torch.sigmoid(self.phi)
        return u, (u > 1 - p).double(), (u < p).double()

    @torch.no_grad()
    def arm(self):
        u, b, twin = self.pair()
        return (self.cost(b) - self.cost(twin)) * (u - 0.5)

    @torch.no_grad()
    def disarm(self):
        _, b, twin = self.pair()
        return (self.cost(b) - self.cost(twin)) * (b - twin) * (0.5 * torch.sigmoid(self.phi.abs()))


JOBS = {"density": Density, "elbo": Elbo, "mixture": Mixture, "local": Local, "dropout": Dropout,
        "disarm": DisARM, "vimco": VIMCO, "bit": Bit}


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
