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

gb_scores gb_prediction_scores(const gb_prediction *s)
{
    gb_scores scores = {.count = 0};
    if (!s || !s->outcome)
        return scores;
    add(&scores, gb_score_mean(NULL, s->rows * s->data, s->log_density), "log density");
    if (s->classes > 0)
        add_classes(&scores, (const void *)s);
    else
        add_numbers(&scores, s);
    return scores;
}

const gb_score *gb_scores_find(const gb_scores *scores, const char *name)
{
    for (size_t i = 0; scores && name && i < scores->count; i++)
        if (strcmp(scores->score[i].name, name) == 0)
            return &scores->score[i];
    return NULL;
}

gb_reliability gb_prediction_reliability(const gb_prediction *s, size_t bins)
{
    if (!s || !s->outcome || (s->classes == 0 && !s->below))
        return gb_reliability_of_intervals(0, NULL, NULL, bins);
    if (s->classes == 0)
        return gb_reliability_of_intervals(s->rows * s->elements, s->below, s->up_to, bins);
    double *const label = labels_of((const void *)s);
    const gb_reliability r =
        gb_reliability_of_classes(s->rows * s->data, s->classes, s->probability, label, bins);
    gb_memory_release(&((const gb_own_prediction *)(const void *)s)->memory, label);
    return r;
}
