/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A peer in Python: a script of this directory, in a process of its own, which receives arrays and jobs and
 * times itself.
 *
 * It answers "ready NAME\n" if its packages are installed, and ends with status 77 if not. A job is a line of
 * text, followed by arrays of doubles as in memory, in both directions. "run COUNT\n" requests a batch: one
 * run that is not timed, then COUNT runs; the answer is their time in seconds, a double. */
#ifndef GREBE_BENCH_PEER_H
#define GREBE_BENCH_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct gb_bench_peer {
    int socket;
    pid_t process;
    char name[64]; /* the name that it sends: "PyTorch 1.13.0" */
} gb_bench_peer;

/* Starts `script` with the first Python that has its packages: that of $PYTHON, else python3 of the path,
 * else the system's. Returns false if none has. */
bool gb_bench_peer_start(gb_bench_peer *peer, const char *script);
void gb_bench_peer_end(gb_bench_peer *peer);

/* These end the process with status 1 if the peer has ended. */
void gb_bench_peer_say(gb_bench_peer *peer, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gb_bench_peer_send(gb_bench_peer *peer, const double *values, size_t count);
void gb_bench_peer_receive(gb_bench_peer *peer, double *values, size_t count);

/* The `seconds` of a gb_bench_watch whose context is a peer. */
double gb_bench_peer_seconds(void *peer, size_t calls);

#endif
