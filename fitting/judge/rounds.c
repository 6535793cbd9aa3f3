/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judging: draws, weights and comparisons, more and more of them, until a verdict is clear. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/ground/clock_impl.h"
#include "core/kernels/noise_impl.h"
#include "fitting/density/density_impl.h"
#include "fitting/judge/judging_impl.h"
#include "fitting/judge/kept_starts_impl.h"

/* ---- options ---- */

/* Numbers in all arrays of draws, at most. */
static const double MOST_NUMBERS = 0x1p27;

static void check_sds(const gb_own_judgement *j, size_t start)
{
    const double *const sd = j->options.starts[start].sd;
    for (size_t i = 0; i < j->n; i++)
        if (!(sd[i] >= 0)) {
            gb_fail(j->tape, GB_EARGUMENT, "judge: sd %zu of start %zu is %g, and must be 0 or more", i,
                    start, sd[i]);
            return;
        }
}

static bool options_fit(gb_own_judgement *j)
{
    gb_judge_options *const o = &j->options;
    o->draws = o->draws == 0 ? 4000 : o->draws;
    const double each = 2 * ((double)j->n + (double)j->values + 2), most = floor(MOST_NUMBERS / each);
    if (o->draws < 100 || o->draws > 1 << 24)
        gb_fail(j->tape, GB_EARGUMENT, "judge: .draws is %lld, and must be from 100 to %d",
                (long long)o->draws, 1 << 24);
    else if (o->most_draws != 0 && o->most_draws < o->draws)
        gb_fail(j->tape, GB_EARGUMENT, "judge: .most_draws is %lld, fewer than the first %lld",
                (long long)o->most_draws, (long long)o->draws);
    else if (o->start_count > 0 && !o->starts)
        gb_fail(j->tape, GB_EARGUMENT, "judge: %zu starts are given, but .starts is NULL", o->start_count);
    else if (o->density && o->data)
        gb_fail(j->tape, GB_EARGUMENT, "judge: .data is given, and .density, which has its own");
    else if (most < 100)
        gb_fail(j->tape, GB_ELIMIT,
                "judge: %zu numbers are too many: there is room for fewer than 100 draws of them", j->values);
    for (size_t i = 0; o->starts && i < o->start_count && gb_error(j->tape) == GB_OK; i++)
        if (!o->starts[i].mean || !o->starts[i].sd)
            gb_fail(j->tape, GB_EARGUMENT, "judge: start %zu has no array of means, or of sds", i);
        else
            check_sds(j, i);
    if (gb_error(j->tape) != GB_OK)
        return false;
    const double usual = o->most_draws ? (double)o->most_draws : fmax(64000, (double)o->draws);
    j->most = (size_t)fmin(usual, most);
    if ((size_t)o->draws > j->most)
        o->draws = (int64_t)j->most;
    return true;
}

/* What has a density, but no draws of q that have one. */
static bool has_draws(const gb_own_judgement *j)
{
    const gb_density *const d = j->shown.density;
    for (size_t i = 0; i < d->parts; i++)
        if (d->placed[i].of_rows) {
            gb_fail(j->tape, GB_EARGUMENT,
                    "judge: latent %s is there for each row, and q of all rows together is not drawn; "
                    "gb_sample_nuts on the same model is a reference for it",
                    d->part[i].name);
            return false;
        }
    if (j->spread > 0)
        return true;
    gb_fail(j->tape, GB_EARGUMENT,
            "judge: all latents are points (such as %s), so there is no q to judge: gb_elbo_posterior_read "
            "returns their values, and gb_predictive predicts with them; gb_laplace_normal and "
            "gb_sample_nuts say how wide the posterior is",
            d->part[0].name);
    return false;
}

/* ---- memory ---- */

static void release(gb_own_judgement *j)
{
    gb_weighed *const weighed[] = {&j->own, &j->wide};
    for (size_t i = 0; i < 2; i++) {
        double *const arrays[] = {weighed[i]->z, weighed[i]->value, weighed[i]->log_ratio,
                                  weighed[i]->log_weight};
        for (size_t k = 0; k < 4; k++)
            gb_memory_release(&j->memory, arrays[k]);
    }
    void *const arrays[] = {j->is_point, j->centre, j->gradient, j->log_q, j->judged};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        gb_memory_release(&j->memory, arrays[i]);
    gb_nuts_free(j->nuts);
    const gb_memory memory = j->memory;
    gb_memory_release(&memory, j);
}

void gb_judgement_free(const gb_judgement *judgement)
{
    gb_own_judgement *const j = (gb_own_judgement *)(uintptr_t)judgement;
    if (!j)
        return;
    if (j->is_owned)
        gb_tape_disown(j->tape, j);
    release(j);
}

void gb_judgement_is_of_tape(const gb_judgement *judgement)
{
    if (judgement)
        ((gb_own_judgement *)(uintptr_t)judgement)->is_owned = true;
}

static void find_points(gb_own_judgement *j)
{
    size_t parts;
    const gb_density_part *const part = gb_density_parts(j->shown.density, &parts);
    for (size_t k = 0; k < parts; k++) {
        memset(j->is_point + part[k].first, part[k].is_point, part[k].count);
        memset(j->is_point + j->n + part[k].first_value, part[k].is_point, part[k].values);
        j->spread += part[k].is_point ? 0 : part[k].count;
        j->a_point = part[k].is_point ? part[k].name : j->a_point;
    }
}

static gb_own_judgement *begin(gb_density *density, const gb_judge_options *options)
{
    gb_tape *const tape = gb_density_tape(density);
    const gb_memory memory = gb_tape_memory(tape);
    gb_own_judgement *j = gb_memory_resize(&memory, NULL, sizeof *j);
    if (j) {
        memset(j, 0, sizeof *j);
        j->memory = j->watched.memory = memory;
        j->options = *options;
        j->tape = tape;
        j->n = gb_density_count(density);
        j->values = gb_density_value_count(density);
        j->shown.density = density;
        j->shown.origin = density->log_p;
        j->own.factor = 1;
        j->is_point = gb_memory_resize(&memory, NULL, (j->n + j->values) * sizeof *j->is_point);
        j->centre = gb_memory_resize(&memory, NULL, j->n * sizeof *j->centre);
        j->judged = gb_memory_resize(&memory, NULL, (j->n + j->values) * sizeof *j->judged);
    }
    if (j && j->is_point && j->centre && j->judged) {
        memset(j->judged, 0, (j->n + j->values) * sizeof *j->judged);
        find_points(j);
        return j;
    }
    gb_fail(tape, GB_ENOMEM, "judge: out of memory");
    if (j)
        release(j);
    return NULL;
}

/* ---- draws ---- */

/* Wide enough to reach tails that q hides, and such that draws of n numbers keep a fourth of their effective
 * size if q is p: with c² = 1 + δ that is (1 + δ) / √(1 + 2δ) for each number, about 1 + δ²/2. */
static double factor_for(size_t numbers)
{
    return sqrt(1 + sqrt(2.8 / (double)numbers));
}

static void describe(gb_own_judgement *j)
{
    const double *const r = j->own.log_ratio;
    double sum = 0, squares = 0;
    size_t lost = 0;
    for (size_t s = 0; s < j->own.count; s++) {
        lost += isfinite(r[s]) ? 0 : 1;
        sum += isfinite(r[s]) ? r[s] : 0;
    }
    const double count = (double)(j->own.count - lost), mean = sum / count;
    for (size_t s = 0; s < j->own.count; s++)
        squares += isfinite(r[s]) ? (r[s] - mean) * (r[s] - mean) : 0;
    j->shown.lost = lost;
    j->shown.elbo = mean;
    j->shown.spread = sqrt(squares / (count - 1));
    j->shown.elbo_error = j->shown.spread / sqrt(count);
}

static bool no_memory(const gb_own_judgement *j, size_t count)
{
    gb_fail(j->tape, GB_ENOMEM, "judge: out of memory for %zu draws", count);
    return false;
}

static bool begin_draws(gb_own_judgement *j, size_t count)
{
    j->gradient = gb_memory_resize(&j->memory, NULL, count * j->n * sizeof *j->gradient);
    if (!j->gradient)
        return no_memory(j, count);
    j->gradients = count;
    if (!gb_judge_draw(j, &j->own, count))
        return false;
    for (size_t i = 0; i < j->n && !j->broken; i++) {
        double sum = 0;
        for (size_t s = 0; s < count; s++)
            sum += (j->own.z[s * j->n + i] - j->own.z[i]) / (double)count;
        j->centre[i] = j->own.z[i] + sum;
    }
    j->wide.factor = factor_for(j->spread);
    return true;
}

/* Values that are their free numbers are judged once. */
static void copy_values(gb_own_judgement *j, const gb_density_part *part)
{
    memcpy(j->judged + j->n + part->first_value, j->judged + part->first, part->values * sizeof *j->judged);
}

static void compare(gb_own_judgement *j)
{
    size_t parts;
    const gb_density_part *const part = gb_density_parts(j->shown.density, &parts);
    for (size_t k = 0; k < parts; k++) {
        for (size_t i = 0; i < part[k].count; i++)
            gb_judge_number(j, part[k].first + i);
        for (size_t i = 0; i < part[k].values && !part[k].is_free; i++)
            gb_judge_number(j, j->n + part[k].first_value + i);
        if (part[k].is_free)
            copy_values(j, &part[k]);
    }
    describe(j);
}

/* Numbers are compared when the weights are settled, or at last. */
static bool look(gb_own_judgement *j)
{
    const size_t first = (size_t)j->options.draws;
    if (!begin_draws(j, first))
        return false;
    for (size_t count = first; !j->broken; count = 2 * count < j->most ? 2 * count : j->most) {
        if (!gb_judge_draw(j, &j->own, count) || j->broken || !gb_judge_draw(j, &j->wide, count) || j->broken)
            break;
        if (count > first && count < j->most && gb_judge_needs_draws(j))
            continue;
        compare(j);
        if (j->watched.ran_out)
            return no_memory(j, count);
        if (count == first && !gb_judge_slope(j, first))
            return false;
        if (count == first &&
            !(gb_judge_look_at_shells(j) && gb_judge_look_along_lines(j) && gb_judge_look_for_parts(j)))
            return false;
        if (gb_judge_may_be_harmless(j) && !j->has_climbed && !gb_judge_climb(j))
            return false;
        if (count == j->most || gb_judge_is_settled(j))
            break;
    }
    return gb_error(j->tape) == GB_OK;
}

static bool refer(gb_own_judgement *j)
{
    const gb_sample_nuts_options options = {
        .size = sizeof options, .density = j->shown.density, .seed = j->options.seed};
    if (!j->options.reference || j->broken)
        return true;
    j->nuts = gb_sample_nuts_with(NULL, &options);
    return j->nuts;
}

/* ---- the whole ---- */

static void show(gb_own_judgement *j)
{
    gb_judgement *const shown = &j->shown;
    shown->draws = j->own.count;
    shown->count = j->n;
    shown->values = j->values;
    shown->z = j->own.z;
    shown->value = j->own.value;
    shown->weights = j->own.weights;
    shown->wide = j->wide.weights;
    shown->wide_factor = j->wide.factor;
    shown->wide_draws = j->wide.count;
    shown->wide_z = j->wide.z;
    shown->wide_value = j->wide.value;
    shown->corrects_by_wide = gb_judge_is_harmless(j);
    shown->free = j->judged;
    shown->judged = j->judged + j->n;
    shown->reference = j->nuts;
}

gb_judgement *gb_judge_with(gb_elbo *e, const gb_judge_options *given)
{
    gb_judge_options options;
    gb_options_copy(&options, sizeof options, given);
    const gb_density_options of_density = {.size = sizeof of_density, .data = options.data};
    gb_density *const density = options.density ? options.density : gb_density_new_with(e, &of_density);
    gb_tape *const tape = gb_density_tape(density);
    if (!tape || gb_error(tape) != GB_OK || !gb_options_take(tape, "judge", &options, sizeof options, given))
        return NULL;
    gb_own_judgement *const j = begin(density, &options);
    if (!j)
        return NULL;
    if (!options.density)
        gb_starts_recall(e, &j->options);
    const double began = gb_seconds();
    const uint64_t seed = options.seed ? options.seed : gb_tape_seed(tape);
    /* Another stream than that of any fitting, and steps of its own: room for 128 batches of each seed. */
    j->step = gb_noise_mix(seed + 0x6a756467u) >> 40 << 7;
    if (has_draws(j) && options_fit(j) && look(j) && refer(j)) {
        show(j);
        gb_judge_decide(j);
        j->shown.seconds = gb_seconds() - began;
        if (!j->watched.ran_out && gb_error(j->tape) == GB_OK)
            return &j->shown;
        no_memory(j, j->own.count);
    }
    release(j);
    return NULL;
}
