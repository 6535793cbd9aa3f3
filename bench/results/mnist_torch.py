#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The networks of mnist.c by PyTorch: the processor time of an epoch, on one thread.

    mnist_torch.py FOLDER DATA

It appends a line to FOLDER/mnist_torch.tsv for each method. The first epoch warms up, three count. Debian:
python3-torch."""
import gzip
import math
import pathlib
import sys
import time

import torch
from torch.nn.functional import cross_entropy, dropout, linear, softplus

folder, data = map(pathlib.Path, sys.argv[1:3])
ROWS, BATCH, EPOCHS, WIDTHS = 60000, 128, 3, (784, 400, 400, 10)
torch.set_num_threads(1)


def read(name, header, shape):
    with gzip.open(data / 'mnist' / name) as file:
        return torch.frombuffer(bytearray(file.read()[header:]), dtype=torch.uint8).reshape(shape)


images = read('train-images-idx3-ubyte.gz', 16, (ROWS, WIDTHS[0])).float() / 126
labels = read('train-labels-idx1-ubyte.gz', 8, (ROWS,)).long()


class Points:
    """Weights and biases; the misfit of a batch and what is added for all rows."""

    def __init__(self):
        shapes = [shape for i, o in zip(WIDTHS, WIDTHS[1:]) for shape in ((o, i), (o,))]
        self.means = [(torch.randn(shape) * 0.05).requires_grad_() for shape in shapes]

    def parameters(self):
        return self.means

    def penalty(self):
        return sum((w * w).sum() for w in self.means[::2]) / (2 * 0.3 ** 2)

    def layer(self, k, h):
        return linear(h, *self.means[2 * k:2 * k + 2])

    def loss(self, x, y):
        h = x
        for k in range(3):
            h = self.layer(k, h) if k == 0 else self.layer(k, h.relu())
        return cross_entropy(h, y) + self.penalty() / ROWS


class Dropout(Points):
    def layer(self, k, h):
        return super().layer(k, dropout(h, 0.2 if k == 0 else 0.5))


class Backprop(Points):
    """Local reparameterisation; the KL to the mixture by one draw of the weights, as in mnist.c."""

    def __init__(self):
        super().__init__()
        self.raw = [torch.full_like(w, -4.6).requires_grad_() for w in self.means]

    def parameters(self):
        return self.means + self.raw

    def penalty(self):
        wide, narrow = torch.distributions.Normal(0.0, 1.0), torch.distributions.Normal(0.0, math.exp(-6))
        total = 0.0
        for mean, sd in zip(self.means, self.sds):
            noise = torch.randn_like(mean)
            w = torch.addcmul(mean, sd, noise)
            total = total - (sd.log() + 0.5 * noise * noise).sum() - (
                torch.logaddexp(wide.log_prob(w), narrow.log_prob(w)) + math.log(0.5)).sum()
        return total

    def layer(self, k, h):
        sd = self.sds[2 * k:2 * k + 2]
        variance = linear(h * h, sd[0] * sd[0], sd[1] * sd[1])
        mean = super().layer(k, h)
        return mean + variance.sqrt() * torch.randn_like(mean)

    def loss(self, x, y):
        self.sds = [softplus(raw) for raw in self.raw]
        return super().loss(x, y)


def epoch(model, optimiser):
    order = torch.randperm(ROWS)
    for first in range(0, ROWS, BATCH):
        rows = order[first:first + BATCH]
        optimiser.zero_grad(set_to_none=True)
        model.loss(images[rows], labels[rows]).backward()
        optimiser.step()


record = folder / 'mnist_torch.tsv'
if not record.exists():
    record.write_text('method\tepochs\tseconds\ttorch\n', encoding='utf-8')
for name, make in ('point', Points), ('dropout', Dropout), ('Bayes by Backprop', Backprop):
    model = make()
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-3)
    epoch(model, optimiser)
    began = time.process_time()
    for _ in range(EPOCHS):
        epoch(model, optimiser)
    with record.open('a', encoding='utf-8') as file:
        file.write(f'{name}\t{EPOCHS}\t{time.process_time() - began:.2f}\t{torch.__version__}\n')
