/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <float.h>
#include <math.h>

#include "fitting/diagnostics/psis_impl.h"
#include "fitting/diagnostics/tail_impl.h"

double gb_psis_tail_k(const gb_psis_room *room, size_t count, size_t tail)
{
    if (tail < GB_TAIL_LEAST)
        return INFINITY;
    const double cutoff = gb_ranked_largest(room->ranked, count, tail);
    for (size_t i = 0; i < tail; i++)
        room->tail[i] = room->ranked[i].value;
    return gb_tail_fit(tail, room->tail, cutoff, 4 * DBL_EPSILON).k;
}

static gb_tails failed(gb_status status, const char *words)
{
    const double nan = (double)NAN;
    return (gb_tails){.status = status, .k = nan, .left = nan, .right = nan, .words = words};
}

gb_tails gb_tails_fit_with(size_t count, const double *x, const gb_tails_fit_options *given)
{
    gb_tails_fit_options options;
    if (!gb_options_copy(&options, sizeof options, given))
        return failed(GB_EARGUMENT, "gb_tails_fit_options has a wrong size; set .size = sizeof(it)");
    const size_t stride = options.stride ? options.stride : 1;
    const double r_eff = options.r_eff == 0 ? 1 : options.r_eff;
    if (!count || !x || !(r_eff > 0) || isinf(r_eff) || options.tail > count / 2)
        return failed(GB_EARGUMENT,
                      "numbers are required, .r_eff above 0, and .tail of at most half of them");
    for (size_t i = 0; i < count; i++)
        if (!isfinite(x[i * stride]))
            return failed(GB_ENONFINITE, "a number is not finite");
    gb_psis_room room;
    if (!gb_psis_room_new(&room, &options.memory, count))
        return failed(GB_ENOMEM, "no memory");
    gb_tails fit = {.tail = options.tail ? options.tail : gb_tail_length(count, r_eff), .words = ""};
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < count; i++)
            room.ranked[i] = (gb_ranked){side ? x[i * stride] : -x[i * stride], i};
        *(side ? &fit.right : &fit.left) = gb_psis_tail_k(&room, count, fit.tail);
    }
    gb_psis_room_free(&room, &options.memory);
    fit.k = fmax(fit.left, fit.right);
    if (fit.tail < GB_TAIL_LEAST)
        fit.words = "fewer than 5 numbers are in a tail: k is unknown; use 21 or more";
    else if (fit.k == INFINITY)
        fit.words = "fewer than 5 numbers of a tail stand out from the rest: k is unknown";
    return fit;
}
