/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sampling: rounds, in each of which all chains that are not done ask for one gradient. */
#include "fitting/nuts.h"

#include <math.h>
#include <string.h>

#include "core/graph/feeds_impl.h"
#include "core/ground/clock_impl.h"
#include "core/kernels/noise_impl.h"
#include "fitting/density/density_impl.h"
#include "fitting/nuts/chain_impl.h"
#include "fitting/nuts/words_impl.h"

typedef struct sampling {
    gb_sample_nuts_options options;
    gb_density *density;
    gb_tape *tape;
    gb_memory memory;
    size_t n, chains;
    gb_sampler *chain;
    double *z, *gradient, *log_p; /* of a round */
    gb_own_nuts *result;
    gb_feeds *feeds; /* while `.each` is called; NULL without it */
    size_t waiting;  /* chains in their warm-up */
    double began, shown;
    bool is_stopped;
} sampling;

/* ---- options ---- */

static bool number_fits(const sampling *s, const char *name, int64_t number, int64_t most)
{
    if (number >= 1 && number <= most)
        return true;
    gb_fail(s->tape, GB_EARGUMENT, "nuts: .%s is %lld, and must be from 1 to %lld", name, (long long)number,
            (long long)most);
    return false;
}

static int64_t or_usual(int64_t number, int64_t usual)
{
    return number == 0 ? usual : number;
}

static bool options_fit(sampling *s)
{
    gb_sample_nuts_options *const o = &s->options;
    o->chains = or_usual(o->chains, 4);
    o->draws = or_usual(o->draws, 1000);
    o->max_depth = or_usual(o->max_depth, 10);
    o->seed = o->seed == 0 ? gb_tape_seed(s->tape) : o->seed;
    o->target = o->target == 0 ? 0.8 : o->target;
    o->spread = o->spread == 0 ? 2 : o->spread;
    if (!number_fits(s, "chains", o->chains, 100000) || !number_fits(s, "draws", o->draws, INT32_MAX) ||
        !number_fits(s, "max_depth", o->max_depth, 20))
        return false;
    if (o->no_warmup && o->warmup != 0)
        gb_fail(s->tape, GB_EARGUMENT, "nuts: .no_warmup and .warmup are both given");
    else if (!o->no_warmup && !number_fits(s, "warmup", o->warmup = or_usual(o->warmup, 1000), INT32_MAX))
        return false;
    else if (!(o->target > 0 && o->target < 1))
        gb_fail(s->tape, GB_EARGUMENT, "nuts: .target is %g, and must be between 0 and 1", o->target);
    else if (!(o->spread > 0 && isfinite(o->spread)))
        gb_fail(s->tape, GB_EARGUMENT, "nuts: .spread is %g, and must be above 0", o->spread);
    else if (o->metric < GB_METRIC_DIAGONAL || o->metric > GB_METRIC_UNIT)
        gb_fail(s->tape, GB_EARGUMENT, "nuts: there is no .metric number %d", (int)o->metric);
    else if (o->start && o->from_q)
        gb_fail(s->tape, GB_EARGUMENT, "nuts: .start and .from_q are both given");
    else if (o->density && o->data)
        gb_fail(s->tape, GB_EARGUMENT, "nuts: .data is given, and .density, which has its own");
    else if ((double)o->chains * (double)o->draws * (double)(s->n + gb_density_value_count(s->density) + 8) >
             0x1p56)
        gb_fail(s->tape, GB_ELIMIT, "nuts: %lld chains of %lld draws of %zu numbers are too many",
                (long long)o->chains, (long long)o->draws, s->n);
    return gb_error(s->tape) == GB_OK;
}

/* ---- chains ---- */

static bool make_chains(sampling *s)
{
    const gb_sample_nuts_options *const o = &s->options;
    const gb_sampler_plan plan = {.n = s->n,
                                  .warmup = (size_t)o->warmup,
                                  .draws = (size_t)o->draws,
                                  .metric = o->metric,
                                  .max_depth = (int)o->max_depth,
                                  .target = o->target,
                                  .spread = o->spread,
                                  .is_started = o->start || o->from_q};
    s->chain = gb_memory_resize(&s->memory, NULL, s->chains * sizeof *s->chain);
    s->z = gb_memory_resize(&s->memory, NULL, s->chains * (2 * s->n + 1) * sizeof *s->z);
    if (s->chain)
        memset(s->chain, 0, s->chains * sizeof *s->chain);
    bool good = s->chain && s->z;
    for (size_t c = 0; c < s->chains && good; c++)
        good = gb_sampler_begin(&s->chain[c], &plan, o->seed, c, &s->memory);
    if (!good) {
        gb_fail(s->tape, GB_ENOMEM, "nuts: out of memory for %zu chains", s->chains);
        return false;
    }
    s->gradient = s->z + s->chains * s->n;
    s->log_p = s->gradient + s->chains * s->n;
    if (o->from_q && gb_density_draw(s->density, gb_noise_mix(o->seed) >> 33, s->chains, s->z, NULL) != GB_OK)
        return false;
    for (size_t c = 0; c < s->chains && plan.is_started; c++)
        memcpy(s->chain[c].z, (o->start ? o->start : s->z) + c * s->n, s->n * sizeof *s->z);
    s->waiting = o->warmup > 0 ? s->chains : 0;
    return true;
}

/* The reason comes last. */
static void say_lost(const sampling *s, size_t number)
{
    const gb_sampler *const chain = &s->chain[number];
    char why[256] = "the last of them has one now";
    const gb_status status = gb_density_explain(s->density, chain->z);
    if (status == GB_ENOMEM)
        return;
    if (status != GB_OK)
        snprintf(why, sizeof why, "%s", gb_error_text(s->tape));
    gb_forgive(s->tape);
    gb_fail(s->tape, status == GB_OK ? GB_ENONFINITE : status,
            "nuts: chain %zu: log p is not finite at %s; give starting points that have a density (.start, "
            ".from_q, a smaller .spread): %s",
            number, chain->plan.is_started ? "its starting point" : "any of 100 random starting points", why);
}

static bool chain_failed(const sampling *s, size_t number)
{
    const gb_sampler *const chain = &s->chain[number];
    if (chain->phase <= GB_SAMPLER_DONE)
        return false;
    if (chain->phase == GB_SAMPLER_LOST)
        say_lost(s, number);
    else if (chain->phase == GB_SAMPLER_STUCK)
        gb_fail(s->tape, GB_ENONFINITE,
                "nuts: chain %zu: no step is small enough; is log p discontinuous, or its gradient wrong?",
                number);
    else if (chain->phase == GB_SAMPLER_UNBOUNDED)
        gb_fail(
            s->tape, GB_ENONFINITE,
            "nuts: chain %zu: steps may grow without end, since log p does not fall off; is the posterior "
            "improper?",
            number);
    return true;
}

/* ---- rounds ---- */

/* Calls `.each`, which may feed the inputs for programs of its own. The sampling keeps what it has. */
static bool ask(sampling *s, const gb_nuts_progress *progress)
{
    gb_feeds_keep(s->feeds);
    const bool goes_on = s->options.each(s->options.user, progress);
    const char *const unused = gb_feeds_restore(s->feeds);
    if (unused && !s->density->options.data)
        gb_fail(
            s->tape, GB_EARGUMENT,
            "nuts: .each fed input %s and ran no program on it after that; the sampling has the same rows "
            "throughout: end it, feed them, and sample again",
            unused);
    return goes_on;
}

/* Returns false when the caller's function asks to stop, and on an error. */
static bool shows(sampling *s)
{
    const double now = gb_seconds();
    if (!s->options.each || now - s->shown < 0.1)
        return true;
    gb_nuts_progress progress = {.of = (int64_t)s->chains * (s->options.warmup + s->options.draws),
                                 .gradients = s->result->shown.gradients,
                                 .divergences = (int64_t)s->result->shown.divergences,
                                 .seconds = now - s->began};
    for (size_t c = 0; c < s->chains; c++)
        progress.transitions += (int64_t)s->chain[c].transitions;
    s->shown = now;
    s->is_stopped = !ask(s, &progress);
    return !s->is_stopped && gb_error(s->tape) == GB_OK;
}

/* A transition has ended: its draw is kept. */
static bool keep(sampling *s, size_t number)
{
    gb_sampler *const chain = &s->chain[number];
    const size_t warmup = chain->plan.warmup;
    if (chain->transitions > warmup && !gb_result_add(s->result, number, chain))
        return gb_fail(s->tape, GB_ENOMEM, "nuts: out of memory for a divergence") == GB_OK;
    if (chain->transitions == warmup && --s->waiting == 0)
        s->result->shown.warmup_seconds = gb_seconds() - s->began;
    gb_sampler_go_on(chain);
    return true;
}

/* Numbers of points for which runs are planned: at most eight, as many as a program keeps plans. */
static size_t padded(const sampling *s, size_t points)
{
    const size_t by = (s->chains + 7) / 8, up = (points + by - 1) / by * by;
    for (size_t i = points; i < up && i < s->chains; i++)
        memcpy(s->z + i * s->n, s->z, s->n * sizeof *s->z);
    return up < s->chains ? up : s->chains;
}

/* One gradient for each chain that is not done. Returns how many there are; 0 on error. */
static size_t play_round(sampling *s)
{
    size_t points = 0;
    for (size_t c = 0; c < s->chains; c++)
        if (s->chain[c].phase != GB_SAMPLER_DONE)
            memcpy(s->z + s->n * points++, gb_sampler_asks(&s->chain[c]), s->n * sizeof *s->z);
    if (points == 0 ||
        gb_density_evaluate(s->density, padded(s, points), s->z, s->log_p, s->gradient, NULL) != GB_OK)
        return 0;
    s->result->shown.gradients += (int64_t)points;
    for (size_t c = 0, at = 0; c < s->chains; c++) {
        if (s->chain[c].phase == GB_SAMPLER_DONE)
            continue;
        const bool has_draw = gb_sampler_take(&s->chain[c], s->log_p[at], s->gradient + s->n * at);
        at++;
        if ((has_draw && !keep(s, c)) || chain_failed(s, c))
            return 0;
    }
    return points;
}

static bool sample(sampling *s)
{
    s->began = s->shown = gb_seconds();
    while (shows(s) && play_round(s) > 0)
        continue;
    s->result->shown.seconds = gb_seconds() - s->began;
    return gb_error(s->tape) == GB_OK;
}

/* ---- the whole ---- */

/* Chains of an improper posterior go to the largest numbers, where overflow alone turns them back: as
 * divergences. */
static bool is_bounded(const sampling *s)
{
    static const double beyond = 1e150;
    const gb_nuts *const r = &s->result->shown;
    const size_t count = r->chains * r->draws * r->values;
    char name[GB_DENSITY_TEXT];
    for (size_t i = 0; i < count && 10 * r->divergences > r->chains * r->draws; i++)
        if (!(fabs(r->value[i]) < beyond))
            return gb_fail(s->tape, GB_ENONFINITE,
                           "nuts: draws of %s reach %.2g, since log p does not fall off; is the posterior "
                           "improper? (a latent without prior that the data do not bound)",
                           gb_density_value_name(s->density, i % r->values, name), r->value[i]) == GB_OK;
    return true;
}

static gb_nuts *run(sampling *s)
{
    s->n = gb_density_count(s->density);
    if (!options_fit(s))
        return NULL;
    s->chains = (size_t)s->options.chains;
    s->result = gb_result_new(s->density, &s->options, &s->memory);
    const bool good = s->result && (!s->options.each || (s->feeds = gb_density_feeds(s->density))) &&
                      make_chains(s) && sample(s) && gb_result_finish(s->result, s->chain, s->is_stopped) &&
                      is_bounded(s) && gb_result_warn(s->result);
    gb_feeds_end(s->feeds);
    for (size_t c = 0; c < s->chains && s->chain; c++)
        gb_sampler_end(&s->chain[c], &s->memory);
    gb_memory_release(&s->memory, s->chain);
    gb_memory_release(&s->memory, s->z);
    if (good)
        return &s->result->shown;
    gb_nuts_free(s->result ? &s->result->shown : NULL);
    return NULL;
}

gb_nuts *gb_sample_nuts_with(gb_elbo *e, const gb_sample_nuts_options *options)
{
    sampling s = {0};
    gb_options_copy(&s.options, sizeof s.options, options);
    const gb_density_options of_density = {.size = sizeof of_density, .data = s.options.data};
    s.density = s.options.density ? s.options.density : gb_density_new_with(e, &of_density);
    s.tape = gb_density_tape(s.density);
    if (!s.tape || gb_error(s.tape) != GB_OK ||
        !gb_options_take(s.tape, "nuts", &s.options, sizeof s.options, options))
        return NULL;
    s.memory = gb_tape_memory(s.tape);
    return run(&s);
}
