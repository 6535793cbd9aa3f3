/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scores of a prediction. */
#include <math.h>
#include <string.h>

#include "prediction/predict/prediction_impl.h"

/* The outcomes of classes as numbers 0 … classes − 1: they are, or they are vectors with a 1. NULL: no
 * memory. */
static double *labels_of(const gb_own_prediction *p)
{
    const gb_prediction *const s = &p->shown;
    const size_t count = s->rows * s->data;
    double *const label = gb_memory_resize(&p->memory, NULL, count * sizeof *label + 1);
    for (size_t i = 0; label && i < count; i++) {
        const double *const outcome = s->outcome + i * p->event;
        label[i] = p->event == 1 ? outcome[0] : (double)NAN;
        for (size_t k = 0; k < p->event && p->event > 1; k++)
            label[i] = outcome[k] == 1 ? (double)k : label[i];
    }
    return label;
}

static void add(gb_scores *scores, gb_score score, const char *name)
{
    score.name = name;
    scores->score[scores->count++] = score;
}

static void add_classes(gb_scores *scores, const gb_own_prediction *p)
{
    const gb_prediction *const s = &p->shown;
    const size_t count = s->rows * s->data;
    double *const label = labels_of(p);
    if (!label)
        return;
    add(scores, gb_score_accuracy(count, s->classes, s->probability, label), "accuracy");
    add(scores, gb_score_brier(count, s->classes, s->probability, label), "brier");
    const gb_reliability r = gb_reliability_of_classes(count, s->classes, s->probability, label, 0);
    add(scores, r.score, "calibration error");
    gb_memory_release(&p->memory, label);
    add(scores, gb_score_mean(NULL, count, s->entropy), "entropy");
    add(scores, gb_score_mean(NULL, count, s->information), "information");
}

static void add_numbers(gb_scores *scores, const gb_prediction *s)
{
    static const struct {
        double level;
        const char *name;
    } coverage[] = {{0.5, "coverage 50 %"}, {0.9, "coverage 90 %"}, {0.95, "coverage 95 %"}};
    const size_t count = s->rows * s->elements;
    add(scores, gb_score_rmse(count, s->mean, s->outcome), "rmse");
    add(scores, gb_score_mae(count, s->mean, s->outcome), "mae");
    if (!s->crps)
        return;
    add(scores, gb_score_mean(NULL, count, s->crps), "crps");
    for (size_t i = 0; i < sizeof coverage / sizeof *coverage; i++)
        add(scores, gb_score_coverage(count, s->below, s->up_to, coverage[i].level), coverage[i].name);
}

/* ---- data that are there ---- */

static size_t count_there(const gb_own_prediction *p)
{
    const double *const weight = p->array[GB_PREDICTED_WEIGHT];
    size_t count = 0;
    for (size_t i = 0; weight && i < p->shown.rows * p->shown.data; i++)
        count += weight[i] != 0;
    return count;
}

static bool take_there(const gb_own_prediction *p, gb_predicted which, gb_own_prediction *there)
{
    const double *const weight = p->array[GB_PREDICTED_WEIGHT], *from = p->array[which];
    const size_t each = p->each[which] / p->shown.data;
    if (!from)
        return true;
    if (!gb_prediction_room(there, which, each))
        return false;
    double *to = there->array[which];
    for (size_t i = 0; i < p->shown.rows * p->shown.data; i++, from += each)
        if (weight[i] != 0) {
            memcpy(to, from, each * sizeof *to);
            to += each;
        }
    return true;
}

/* Returns the prediction itself if no datum is missing; else one whose rows are those data that are there.
 * NULL: no memory. What was `made` is to be freed. */
static const gb_own_prediction *there_of(const gb_own_prediction *p, gb_own_prediction **made)
{
    *made = NULL;
    if (!p->array[GB_PREDICTED_WEIGHT] || count_there(p) == p->shown.rows * p->shown.data)
        return p;
    gb_own_prediction *const there = gb_memory_resize(&p->memory, NULL, sizeof *there);
    if (!there)
        return NULL;
    *there = (gb_own_prediction){.memory = p->memory, .tape = p->tape, .event = p->event};
    there->shown = p->shown;
    there->shown.rows = count_there(p);
    there->shown.data = 1;
    there->shown.elements = p->event;
    bool good = true;
    for (gb_predicted which = 0; which < GB_PREDICTED && good; which++)
        good = take_there(p, which, there);
    gb_prediction_show(there);
    *made = there;
    return good ? there : NULL;
}

static void free_made(gb_own_prediction *made)
{
    if (made)
        gb_prediction_free(&made->shown);
}

/* ---- all scores ---- */

static gb_scores scores_of(const gb_own_prediction *p)
{
    const gb_prediction *const s = &p->shown;
    gb_scores scores = {.count = 0};
    add(&scores, gb_score_mean(NULL, s->rows * s->data, s->log_density), "log density");
    if (s->classes > 0)
        add_classes(&scores, p);
    else
        add_numbers(&scores, s);
    return scores;
}

gb_scores gb_prediction_scores(const gb_prediction *s)
{
    if (!s || !s->outcome)
        return (gb_scores){.count = 0};
    gb_own_prediction *made;
    const gb_own_prediction *const there = there_of((const void *)s, &made);
    const gb_scores scores = there && there->shown.rows > 0 ? scores_of(there) : (gb_scores){.count = 0};
    free_made(made);
    return scores;
}

const gb_score *gb_scores_find(const gb_scores *scores, const char *name)
{
    for (size_t i = 0; scores && name && i < scores->count; i++)
        if (strcmp(scores->score[i].name, name) == 0)
            return &scores->score[i];
    return NULL;
}

gb_score gb_prediction_score(const gb_prediction *prediction, const char *name)
{
    const gb_scores all = gb_prediction_scores(prediction);
    const gb_score *const found = gb_scores_find(&all, name);
    return found ? *found
                 : (gb_score){.name = "none of that name",
                              .value = (double)NAN,
                              .error = (double)NAN,
                              .status = prediction ? GB_ENAME : GB_EARGUMENT};
}

static gb_reliability reliability_of(const gb_own_prediction *p, size_t bins)
{
    const gb_prediction *const s = &p->shown;
    if (s->classes == 0)
        return gb_reliability_of_intervals(s->rows * s->elements, s->below, s->up_to, bins);
    double *const label = labels_of(p);
    const gb_reliability r =
        gb_reliability_of_classes(s->rows * s->data, s->classes, s->probability, label, bins);
    gb_memory_release(&p->memory, label);
    return r;
}

gb_reliability gb_prediction_reliability(const gb_prediction *s, size_t bins)
{
    gb_own_prediction *made = NULL;
    const bool has_some = s && s->outcome && (s->classes > 0 || s->below);
    const gb_own_prediction *const there = has_some ? there_of((const void *)s, &made) : NULL;
    const gb_reliability r =
        there ? reliability_of(there, bins) : gb_reliability_of_intervals(0, NULL, NULL, bins);
    free_made(made);
    return r;
}
