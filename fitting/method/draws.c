/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/method/draws_impl.h"

#include <math.h>
#include <string.h>

#include "core/program.h"
#include "fitting/density/dense_impl.h"
#include "ops/draws.h"
#include "ops/elementwise.h"

/* Sobol points are better than random ones in few dimensions, and known for so many. */
enum { MOST_SOBOL = 1000, MOST_WHITENED = 1024 };

/* Points come from a tape of their own, so that no stream of the model moves. */
static gb_status points_of(gb_tape *tape, uint64_t seed, size_t dimensions, size_t count, double *points)
{
    gb_tape *const apart = gb_tape_new(.seed = seed, .threads = 1, .memory = gb_tape_memory(tape));
    const gb_shape shape = gb_shape((int64_t)dimensions);
    const gb_noise noise = gb_stream(apart, "draws");
    const gb_node normal = dimensions <= MOST_SOBOL ? gb_ndtri(gb_sobol_noise(noise, shape, GB_SAMPLES))
                                                    : gb_normal_noise(noise, shape, GB_SAMPLES);
    gb_program *const program = gb_compile(apart, gb_roots(normal), gb_no_update);
    gb_status status = gb_program_set_samples(program, (int64_t)count);
    if (status == GB_OK && (status = gb_run(program)) == GB_OK)
        status = gb_read_root(program, 0, points);
    gb_tape_free(apart);
    return status == GB_OK ? GB_OK : gb_fail(tape, GB_ENOMEM, "fit: out of memory for %zu draws", count);
}

/* Makes Σ x xᵀ / count the unit matrix. */
static bool whiten(size_t n, size_t count, double *x, double *room)
{
    memset(room, 0, n * n * sizeof *room);
    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < n; i++)
            gb_dense_add(i + 1, x[s * n + i] / (double)count, x + s * n, room + i * n);
    if (!gb_dense_factor(n, room, room))
        return false;
    for (size_t s = 0; s < count; s++)
        gb_dense_solve(n, room, x + s * n);
    return true;
}

static void rescale(size_t n, size_t count, double *x)
{
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t s = 0; s < count; s++)
            sum += x[s * n + i] * x[s * n + i];
        const double by = sum > 0 ? sqrt((double)count / sum) : 1;
        for (size_t s = 0; s < count; s++)
            x[s * n + i] *= by;
    }
}

static void spread(const gb_family_of_normals *family, size_t half, const double *x, double *draws)
{
    const size_t n = family->n, scaled = family->scaled;
    memset(draws, 0, 2 * half * n * sizeof *draws);
    for (size_t s = 0; s < half; s++) {
        size_t at = 0;
        for (size_t k = 0; k < family->groups; k++) {
            const gb_group *const g = &family->group[k];
            for (size_t i = 0; i < g->count && g->form != GB_GROUP_POINT; i++, at++) {
                draws[2 * s * n + g->first + i] = x[s * scaled + at];
                draws[(2 * s + 1) * n + g->first + i] = -x[s * scaled + at];
            }
        }
    }
}

gb_status gb_draws_fixed(const gb_family_of_normals *family, gb_tape *tape, uint64_t seed, size_t count,
                         double *draws)
{
    const gb_memory memory = gb_tape_memory(tape);
    const size_t half = count / 2, n = family->scaled;
    const bool whitens = n <= MOST_WHITENED && half >= 2 * n;
    double *const x = gb_memory_resize(&memory, NULL, (half * n + (whitens ? n * n : 0)) * sizeof *x);
    if (!x)
        return gb_fail(tape, GB_ENOMEM, "fit: out of memory for %zu draws", count);
    const gb_status status = points_of(tape, seed, n, half, x);
    if (status == GB_OK) {
        /* Two steps leave the covariance exact to the last digits. */
        const bool done = whitens && whiten(n, half, x, x + half * n) && whiten(n, half, x, x + half * n);
        if (!done)
            rescale(n, half, x);
        spread(family, half, x, draws);
    }
    gb_memory_release(&memory, x);
    return status;
}
