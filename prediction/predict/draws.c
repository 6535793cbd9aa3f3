/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "prediction/predict/draws_impl.h"

#include <math.h>

#include "core/kernels/noise_impl.h"
#include "fitting/density/density_impl.h"
#include "fitting/judge/kept_starts_impl.h"
#include "models/elbo/elbo_impl.h"
#include "models/predicting/outlook_impl.h"

enum { USUAL_DRAWS = 1000 };

static bool out_of_memory(const gb_source_of_draws *s)
{
    gb_fail(s->drawn.tape, GB_ENOMEM, "predictive: out of memory for %zu draws", s->count);
    return false;
}

/* Chooses `count` draws: by weight, or evenly among those of NUTS. */
static bool choose(gb_source_of_draws *s, const gb_psis *weights, size_t count, uint64_t seed)
{
    const size_t all = s->count;
    s->count = count;
    s->place = gb_memory_resize(&s->drawn.memory, NULL, count * sizeof *s->place);
    if (!s->place)
        return out_of_memory(s);
    for (size_t i = 0; i < count; i++)
        s->place[i] = (size_t)((double)i * (double)all / (double)count);
    if (!weights)
        return true;
    const gb_psis_resample_options options = {.size = sizeof options, .seed = seed};
    const gb_status status = gb_psis_resample_with(weights, count, s->place, &options);
    if (status != GB_OK && status != GB_ENOMEM)
        gb_fail(s->drawn.tape, status, "predictive: draws cannot be chosen by weight: %s", weights->words);
    return status == GB_OK || (status == GB_ENOMEM && out_of_memory(s));
}

static bool weigh(gb_source_of_draws *s, const gb_psis *weights)
{
    s->weight = gb_memory_resize(&s->drawn.memory, NULL, s->count * sizeof *s->weight);
    if (!s->weight)
        return out_of_memory(s);
    for (size_t i = 0; i < s->count; i++)
        s->weight[i] = exp(weights->log_weights[i]);
    return true;
}

/* As in a summary: q's own draws, where no weights correct them. */
static bool use_judgement(gb_source_of_draws *s, const gb_predictive_options *o)
{
    const gb_judgement *const j = s->drawn.judgement;
    const gb_psis *const w = s->drawn.weights;
    const bool is_reliable = !j->misses_mode && w->k < w->threshold;
    s->k = w->k;
    s->source = !is_reliable ? GB_SUMMARY_Q : j->corrects_by_wide ? GB_SUMMARY_WIDE : GB_SUMMARY_PSIS;
    if (!is_reliable) {
        s->count = j->draws;
        s->z = j->z;
        s->words = j->misses_mode ? "a mode may be missing: the draws are q's own, uncorrected"
                                  : "k is too large to correct q: the draws are its own";
    }
    const size_t wanted = (size_t)o->draws;
    if (wanted > 0 && wanted < s->count)
        return choose(s, is_reliable ? w : NULL, wanted, o->seed);
    return !is_reliable || weigh(s, w);
}

static bool use_nuts(gb_source_of_draws *s, const gb_predictive_options *o)
{
    s->source = GB_SUMMARY_NUTS;
    const size_t wanted = (size_t)o->draws;
    return wanted == 0 || wanted >= s->count || choose(s, NULL, wanted, 0);
}

bool gb_draws_begin(gb_source_of_draws *s, gb_elbo *e, const gb_predictive_options *o)
{
    *s = (gb_source_of_draws){.elbo = e,
                              .k = (double)NAN,
                              .words = "",
                              .step = o->seed ? gb_noise_mix(o->seed) >> 34 << 32 : 0,
                              .count = o->draws ? (size_t)o->draws : USUAL_DRAWS};
    s->drawn.tape = e->tape;
    s->drawn.memory = gb_tape_memory(e->tape);
    if (!o->judgement && !o->nuts) {
        s->verdict = gb_starts_verdict(e);
        return true;
    }
    if (!gb_drawn_begin(&s->drawn, "predictive", e, o->judgement, o->nuts, NULL))
        return false;
    if (s->drawn.density->elbo != e)
        return gb_fail(e->tape, GB_EARGUMENT,
                       "predictive: %s is of another ELBO than the one to be predicted",
                       o->nuts ? ".nuts" : ".judgement") == GB_OK;
    s->density = s->drawn.density;
    s->free = s->density->count;
    s->count = s->drawn.draws;
    s->z = s->drawn.z;
    if (gb_feed(s->density->points, s->z, 1) != GB_OK) /* plans are made before the first draw */
        return false;
    return o->nuts ? use_nuts(s, o) : use_judgement(s, o);
}

void gb_draws_end(gb_source_of_draws *s)
{
    gb_memory_release(&s->drawn.memory, s->place);
    gb_memory_release(&s->drawn.memory, s->weight);
    gb_drawn_end(&s->drawn);
}

bool gb_draws_run(const gb_source_of_draws *s, gb_program *program, size_t draw)
{
    if (gb_program_set_step(program, s->step + draw) != GB_OK)
        return false;
    if (!s->density)
        return gb_run(program) == GB_OK;
    const size_t place = s->place ? s->place[draw] : draw;
    return gb_density_run(s->density, program, 1, s->z + place * s->free) == GB_OK;
}
