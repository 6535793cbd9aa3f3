/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A peer in Python: a script of this directory, in a process of its own, that is sent arrays and jobs and times itself.
 *
 * It answers "ready NAME\n" when it has what it needs, or ends with status 77 when that is not installed. Each job is
 * a line from here, and arrays of doubles as they lie in memory, in both directions. "run COUNT\n" asks for a batch:
 * one run that is not timed, then COUNT; the answer is a double, how many seconds those took. */
#ifndef GREBE_BENCH_PEER_H
#define GREBE_BENCH_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct gb_bench_peer {
    int socket;
    pid_t process;
    char name[64]; /* what it says it is: "PyTorch 1.13.0" */
} gb_bench_peer;

/* Starts `script` with the Python that $PYTHON names, or else that of the path, or else the system's: the first that
 * has what the script needs. False if none has. */
bool gb_bench_peer_start(gb_bench_peer *peer, const char *script);
void gb_bench_peer_end(gb_bench_peer *peer);

/* These end the process with status 1 if the peer is no longer there. */
void gb_bench_peer_say(gb_bench_peer *peer, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gb_bench_peer_send(gb_bench_peer *peer, const double *values, size_t count);
void gb_bench_peer_receive(gb_bench_peer *peer, double *values, size_t count);

/* The `seconds` of a gb_bench_watch whose context is a peer. */
double gb_bench_peer_seconds(void *peer, size_t calls);

#endif
