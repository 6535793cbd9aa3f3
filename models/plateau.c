/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/plateau.h"

#include <math.h>

static const double USUAL_FALSE_STOP = 0.01;

/* How probable it is that noise with this standard error hides so much, or more. */
static double chance(double missing, double error)
{
    return 0.5 * erfc(missing / error / sqrt(2));
}

bool gb_plateau_fits(const gb_plateau_options *o, const char **words)
{
    const char *const wrong =
        o->window < 2                                     ? "a window must have at least 2 numbers"
        : !(o->improvement >= 0) || isinf(o->improvement) ? "the improvement must be 0 or more"
        : !(o->false_stop >= 0 && o->false_stop < 0.5) ? "the probability of a false stop must be below 1/2"
                                                       : NULL;
    if (words)
        *words = wrong;
    return !wrong;
}

bool gb_plateau_reached(gb_plateau *p, double value)
{
    const gb_plateau_options *const o = &p->options;
    const double off = value - p->mean;
    p->mean += off / (double)++p->count;
    p->squares += off * (value - p->mean);
    if (p->count < o->window)
        return false;
    const double n = (double)p->count, variance = p->squares / (n - 1) / n;
    const double fell = p->mean_before - p->mean, error = sqrt(variance + p->variance_before);
    const double missing = o->improvement - fell,
                 rate = o->false_stop == 0 ? USUAL_FALSE_STOP : o->false_stop;
    const bool is_noise = o->improvement > 0 && chance(missing, error) >= rate;
    const bool reached = p->windows > 0 && !(missing <= 0) && !is_noise;
    *p = (gb_plateau){
        .options = *o, .windows = p->windows + 1, .mean_before = p->mean, .variance_before = variance};
    return reached;
}
