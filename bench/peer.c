/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "peer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

enum { NOT_INSTALLED = 77, NO_SUCH_PROGRAM = 127 };

/* ---- bytes ---- */

static bool send_all(int socket, const char *bytes, size_t count)
{
    while (count > 0) {
        const ssize_t sent = send(socket, bytes, count, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        bytes += sent;
        count -= (size_t)sent;
    }
    return true;
}

static bool receive_all(int socket, char *bytes, size_t count)
{
    while (count > 0) {
        const ssize_t received = recv(socket, bytes, count, 0);
        if (received <= 0)
            return false;
        bytes += received;
        count -= (size_t)received;
    }
    return true;
}

static bool receive_line(int socket, char *line, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (!receive_all(socket, &line[i], 1))
            return false;
        if (line[i] == '\n') {
            line[i] = '\0';
            return true;
        }
    }
    return false;
}

/* ---- the process ---- */

static void become(const char *python, const char *script, int socket)
{
    char path[512];
    const int length = snprintf(path, sizeof path, "%s/%s", GB_BENCH_DIRECTORY, script);
    if (length < (int)sizeof path && dup2(socket, STDIN_FILENO) >= 0 && dup2(socket, STDOUT_FILENO) >= 0)
        execlp(python, python, path, (char *)NULL);
    _exit(NO_SUCH_PROGRAM);
}

static bool start(gb_bench_peer *peer, const char *python, const char *script)
{
    int ends[2], status = 0;
    gb_bench_need(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, NULL, "a socket");
    fflush(NULL);
    *peer = (gb_bench_peer){.socket = ends[0], .process = fork()};
    gb_bench_need(peer->process >= 0, NULL, "a process");
    if (peer->process == 0) {
        close(ends[0]);
        become(python, script, ends[1]);
    }
    close(ends[1]);
    char line[sizeof peer->name + 8];
    if (receive_line(peer->socket, line, sizeof line) && sscanf(line, "ready %63[^\n]", peer->name) == 1)
        return true;
    close(peer->socket);
    waitpid(peer->process, &status, 0);
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    gb_bench_need(code == NOT_INSTALLED || code == NO_SUCH_PROGRAM, NULL, script);
    return false;
}

bool gb_bench_peer_start(gb_bench_peer *peer, const char *script)
{
    const char *const chosen = getenv("PYTHON");
    if (chosen && *chosen)
        return start(peer, chosen, script);
    return start(peer, "python3", script) || start(peer, "/usr/bin/python3", script);
}

void gb_bench_peer_end(gb_bench_peer *peer)
{
    close(peer->socket);
    waitpid(peer->process, NULL, 0);
}

/* ---- messages ---- */

void gb_bench_peer_say(gb_bench_peer *peer, const char *format, ...)
{
    char line[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    gb_bench_need(send_all(peer->socket, line, strlen(line)), NULL, peer->name);
}

void gb_bench_peer_send(gb_bench_peer *peer, const double *values, size_t count)
{
    gb_bench_need(send_all(peer->socket, (const char *)values, count * sizeof *values), NULL, peer->name);
}

void gb_bench_peer_receive(gb_bench_peer *peer, double *values, size_t count)
{
    gb_bench_need(receive_all(peer->socket, (char *)values, count * sizeof *values), NULL, peer->name);
}

double gb_bench_peer_seconds(void *peer, size_t calls)
{
    double seconds;
    gb_bench_peer_say(peer, "run %zu\n", calls);
    gb_bench_peer_receive(peer, &seconds, 1);
    return seconds;
}
