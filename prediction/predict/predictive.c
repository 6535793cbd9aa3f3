/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predictions: what is asked, and the whole of it. */
#include <math.h>
#include <string.h>

#include "core/graph/gathered_impl.h"
#include "core/team.h"
#include "models/predicting/blocks_impl.h"
#include "models/training/batches_impl.h"
#include "prediction/predict/predicting_impl.h"

static const double usual_levels[] = {0.05, 0.5, 0.95};

/* ---- the whole ---- */

static bool begin_result(gb_predicting *a, gb_gathered *gathered, int64_t rows)
{
    const gb_view *const v = &a->of->view;
    gb_prediction *const s = &a->result->shown;
    if (v->has_rows && rows < !gb_tape_team(a->tape)) { /* other members may have some */
        gb_fail(
            a->tape, GB_EARGUMENT,
            "predictive: no rows were fed; give .data (gb_batches_new; gb_analysis_rows with a table, which "
            "may be that of the training), or feed the inputs");
        return false;
    }
    s->rows = !v->has_rows      ? 1
              : a->options.data ? (size_t)gb_batches_own_rows(a->options.data)
                                : (size_t)(rows + gb_gathered_left(gathered));
    s->elements = gb_shape_count(v->shape);
    s->data = gb_shape_count(v->batch);
    a->result->event = s->data > 0 ? s->elements / s->data : 1;
    s->classes = (size_t)v->classes;
    s->is_discrete = v->is_discrete;
    s->source = a->draws.source;
    s->k = a->draws.k;
    if (!a->of->is_random && !gb_predicting_draws(a))
        a->draws.count = 1;
    s->draws = a->draws.count;
    return true;
}

static int64_t begin(void *user, gb_gathered *gathered, int64_t rows)
{
    gb_predicting *const a = user;
    if (!begin_result(a, gathered, rows) || !gb_predicting_programs(a, gathered) ||
        !gb_predicting_room(a, gathered, rows) || !gb_predicting_arrays(a))
        return 0;
    return !a->of->view.has_rows || a->of->view.mixes_rows ? INT64_MAX : (int64_t)a->rows;
}

/* Whether some of the numbers are NaN. */
static size_t undefined(const gb_own_prediction *p, gb_predicted which)
{
    size_t count = 0;
    for (size_t i = 0; p->array[which] && i < p->shown.rows * p->each[which]; i++)
        count += isnan(p->array[which][i]) ? 1 : 0;
    return count;
}

static size_t missing(const gb_own_prediction *p)
{
    const double *const weight = p->array[GB_PREDICTED_WEIGHT];
    size_t count = 0;
    for (size_t i = 0; weight && i < p->shown.rows * p->shown.data; i++)
        count += weight[i] == 0;
    return count;
}

/* Of q's own draws, if q is as gb_fit left it. */
static void say_verdict(gb_predicting *a)
{
    const gb_verdict verdict = a->draws.verdict;
    if (verdict != GB_VERDICT_NONE && verdict < GB_VERDICT_GOOD_HERE)
        gb_prediction_say(
            a->result,
            "the fit is judged \"%s\", and the draws are those of its q: take .judgement of the "
            "fit, which corrects them where it can, or .nuts",
            gb_verdict_text(verdict));
}

static void say_of_draws(gb_predicting *a)
{
    /* masks of dropout are noise beside the points, and make a spread */
    const char *const point = a->draws.density || a->of->is_random ? NULL : gb_elbo_all_points(a->draws.elbo);
    const char *const wrong = a->draws.density ? gb_drawn_words(&a->draws.drawn) : "";
    say_verdict(a);
    if (*a->draws.words)
        gb_prediction_say(a->result, "%s", a->draws.words);
    if (*wrong)
        gb_prediction_say(a->result, "%s", wrong);
    if (point)
        gb_prediction_say(
            a->result,
            "all latents are points (such as %s): the spread of predictions has nothing of what "
            "the data leave open",
            point);
}

static void say_what_lacks(gb_predicting *a)
{
    gb_own_prediction *const p = a->result;
    const size_t unknown = undefined(p, GB_PREDICTED_LOG_DENSITY) - (a->has_outcome ? missing(p) : 0);
    const gb_view *const v = &a->of->view;
    const char *const law = a->of->outcome ? a->of->outcome->law.type->name : "node";
    say_of_draws(a);
    if (a->of->outcome && !gb_node_ok(v->mean))
        gb_prediction_say(p, "mean, epistemic, sd: %s has no mean in closed form; read the quantiles", law);
    else if (undefined(p, GB_PREDICTED_MEAN) > 0)
        gb_prediction_say(p,
                          "mean, epistemic, sd: not defined for %zu numbers (%s has no mean there, or a draw "
                          "is not finite); read the quantiles",
                          undefined(p, GB_PREDICTED_MEAN), law);
    if (a->of->outcome && !gb_node_ok(v->noise))
        gb_prediction_say(p, "noise, sd: %s has no variance in closed form; read the quantiles", law);
    else if (gb_node_ok(v->mean) && undefined(p, GB_PREDICTED_NOISE) > undefined(p, GB_PREDICTED_MEAN))
        gb_prediction_say(p, "noise, sd: not defined for %zu numbers (%s); read the quantiles",
                          undefined(p, GB_PREDICTED_NOISE), law);
    if (a->has_outcome && v->seen_by && !a->of->density)
        gb_prediction_say(
            p,
            "mean, quantiles, log density and all scores: q of latent %s in each row depends on "
            "the outcome itself, so they are of data that were seen",
            v->seen_by);
    if (missing(p) > 0)
        gb_prediction_say(p, "%zu of %zu outcomes %s the weight 0, and %s not scored", missing(p),
                          p->shown.rows * p->shown.data, missing(p) == 1 ? "has" : "have",
                          missing(p) == 1 ? "is" : "are");
    if (unknown > 0)
        gb_prediction_say(p, "log density: not defined for %zu data: a draw gives no number", unknown);
    if (undefined(p, GB_PREDICTED_QUANTILE) > 0)
        gb_prediction_say(p, "quantiles: not defined for %zu numbers: a draw gives no number",
                          undefined(p, GB_PREDICTED_QUANTILE) / (p->shown.quantiles + !p->shown.quantiles));
}

static bool take_levels(gb_predicting *a)
{
    const gb_values given = a->options.quantiles;
    const double *const level = given.count ? given.data : usual_levels;
    const size_t count = given.count ? given.count : sizeof usual_levels / sizeof *usual_levels;
    gb_own_prediction *const p = a->result;
    p->shown.quantiles = gb_predicting_draws(a) ? count : 0;
    p->level = gb_memory_resize(&p->memory, NULL, count * sizeof *p->level);
    if (!p->level)
        return gb_predicting_lacks_memory(a, 0);
    memcpy(p->level, level, count * sizeof *level);
    return true;
}

static bool next_batch(void *batches)
{
    return gb_next_batch(batches);
}

/* The batches stand afterwards where they stood. */
static bool predict_rows(gb_predicting *a)
{
    gb_batches *const data = a->options.data;
    const gb_batches_place before = gb_batches_at(data);
    const gb_blocks blocks = {.tape = a->tape,
                              .next = data ? next_batch : NULL,
                              .batches = data,
                              .begin = begin,
                              .look = gb_predicting_block,
                              .user = a};
    if (!data)
        return gb_each_block(&blocks);
    return gb_batches_go(data, (gb_batches_place){0}) == GB_OK && gb_each_block(&blocks) &&
           gb_batches_go(data, before) == GB_OK;
}

static gb_prediction *predict(gb_predicting *a, const char *name)
{
    a->result = gb_prediction_new(a->tape, name);
    a->watched.memory = a->draws.drawn.memory;
    const bool good =
        (a->result || gb_predicting_lacks_memory(a, 0)) && take_levels(a) && predict_rows(a) &&
        (gb_prediction_order(a->result) || gb_predicting_lacks_memory(a, a->result->shown.rows));
    if (!good) {
        gb_prediction_free(a->result ? &a->result->shown : NULL);
        return NULL;
    }
    gb_prediction_show(a->result);
    say_what_lacks(a);
    return &a->result->shown;
}

/* ---- what is asked ---- */

static bool levels_fit(gb_tape *tape, gb_values levels)
{
    if (levels.count > 0 && !levels.data)
        return gb_fail(tape, GB_EARGUMENT, "predictive: %zu quantiles are given, but the list is NULL",
                       levels.count) == GB_OK;
    for (size_t i = 0; i < levels.count; i++)
        if (!(levels.data[i] >= 0 && levels.data[i] <= 1))
            return gb_fail(tape, GB_EARGUMENT,
                           "predictive: quantile %zu is of probability %g, which is not in [0, 1]", i,
                           levels.data[i]) == GB_OK;
    return true;
}

static bool numbers_fit(gb_tape *tape, const gb_predictive_options *o)
{
    if (o->draws < 0 || o->draws == 1 || o->draws > INT32_MAX)
        gb_fail(tape, GB_EARGUMENT, "predictive: .draws is %lld, and must be from 2 to %d, or 0 for %s",
                (long long)o->draws, INT32_MAX, o->nuts || o->judgement ? "all" : "1000");
    else if (o->standard && (o->scale != 0 || o->shift != 0))
        gb_fail(tape, GB_EARGUMENT, "predictive: give .standard, or .scale and .shift");
    else if (o->standard && gb_standard_columns(o->standard) != 1)
        gb_fail(tape, GB_ESHAPE, "predictive: .standard has %lld columns, and the outcome is one",
                (long long)gb_standard_columns(o->standard));
    else if (!isfinite(o->scale) || !isfinite(o->shift))
        gb_fail(tape, GB_EARGUMENT, "predictive: .scale is %g and .shift %g: they must be finite", o->scale,
                o->shift);
    else if (!(o->memory >= 0))
        gb_fail(tape, GB_EARGUMENT, "predictive: .memory is %g bytes, and must not be negative", o->memory);
    else if (o->only_moments && (o->keep_draws || o->quantiles.count > 0))
        gb_fail(tape, GB_EARGUMENT,
                "predictive: .only_moments makes no draws, and %s needs them: leave one of them out",
                o->keep_draws ? ".keep_draws" : ".quantiles");
    else if (o->data && gb_batches_tape(o->data) != tape)
        gb_fail(tape, GB_EARGUMENT, "predictive: .data is of another tape than the ELBO");
    else
        return levels_fit(tape, o->quantiles);
    return false;
}

static bool ask(gb_predicting *a, gb_elbo *e, const char *who, const gb_predictive_options *given)
{
    *a = (gb_predicting){.tape = e ? e->tape : NULL};
    if (!e || !gb_options_take(a->tape, who, &a->options, sizeof a->options, given) ||
        gb_error(a->tape) != GB_OK || !numbers_fit(a->tape, &a->options))
        return false;
    if (a->options.standard) {
        a->options.scale = gb_standard_sds(a->options.standard)[0];
        a->options.shift = gb_standard_means(a->options.standard)[0];
    }
    a->scale = a->options.scale != 0 ? a->options.scale : 1;
    return true;
}

gb_prediction *gb_predictive_with(gb_elbo *e, const char *name, const gb_predictive_options *given)
{
    gb_predicting a;
    gb_prediction *made = NULL;
    if (!ask(&a, e, "predictive", given))
        return NULL;
    if (gb_draws_begin(&a.draws, e, &a.options) &&
        (a.of = gb_predictor_of_outcome(e, name, a.draws.density))) {
        const bool is_scaled = a.scale != 1 || a.options.shift != 0;
        if (is_scaled && a.of->view.is_discrete)
            gb_fail(a.tape, GB_EARGUMENT,
                    "predictive: outcome %s is discrete (%s), so it has no .scale and .shift", name,
                    a.of->outcome->law.type->name);
        else
            made = predict(&a, name);
    }
    gb_predicting_end(&a);
    return made;
}

gb_prediction *gb_predictive_node_with(gb_elbo *e, gb_node node, const gb_predictive_node_options *given)
{
    gb_predicting a;
    gb_prediction *made = NULL;
    if (!ask(&a, e, "predictive_node", given))
        return NULL;
    if (gb_draws_begin(&a.draws, e, &a.options) && (a.of = gb_predictor_of_node(e, node, a.draws.density)))
        made = predict(&a, *gb_node_name(node) ? gb_node_name(node) : "node");
    gb_predicting_end(&a);
    return made;
}
