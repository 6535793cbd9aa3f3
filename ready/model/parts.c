/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ready/model/parts_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/op.h"
#include "estimators/list.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* Free numbers up to which a full covariance is the usual posterior: 5,050 numbers. */
enum { USUAL_FULL_RANK = 100 };

bool gb_model_parts_new(gb_model_site *s)
{
    s->parts = gb_tape_keep(s->tape, sizeof *s->parts);
    if (s->parts)
        *s->parts = (gb_model_parts){.count = 0};
    return s->parts;
}

const char *gb_model_name(const gb_model_site *s, const char *what)
{
    char text[256];
    if (!*s->name)
        return what;
    snprintf(text, sizeof text, "%.120s.%.120s", s->name, what);
    return gb_tape_keep_text(s->tape, text);
}

/* A list on the tape with room for one more, or NULL. */
static void *with_room(const gb_model_site *s, void *list, size_t count, size_t *room, size_t bytes)
{
    if (count < *room)
        return list;
    void *const wide = gb_tape_keep(s->tape, 2 * (*room + 4) * bytes);
    if (wide && count > 0)
        memcpy(wide, list, count * bytes);
    *room = wide ? 2 * (*room + 4) : *room;
    return wide;
}

size_t gb_model_part(gb_model_site *s, gb_latent_part part)
{
    gb_model_parts *const p = s->parts;
    if (gb_error(s->tape) != GB_OK)
        return 0;
    if (p->draw) {
        gb_fail(s->tape, GB_EARGUMENT, "model: latent %s was declared after gb_model_draw", part.name);
        return 0;
    }
    gb_latent_part *const list = with_room(s, p->part, p->count, &p->room, sizeof *list);
    part.name = list && part.name ? gb_tape_keep_text(s->tape, part.name) : NULL;
    if (!part.name)
        return 0;
    p->part = list;
    p->part[p->count] = part;
    return p->count++;
}

size_t gb_model_part_of(gb_model_site *s, const char *owner, const char *what, gb_shape shape, gb_dist prior)
{
    char text[160];
    snprintf(text, sizeof text, "%.80s%s%.70s", owner ? owner : "", owner && *owner ? " " : "", what);
    return gb_model_part(s, (gb_latent_part){.name = text, .shape = shape, .prior = prior});
}

static size_t numbers_of(const gb_model_parts *p)
{
    size_t count = 0;
    for (size_t i = 0; i < p->count; i++)
        count += gb_shape_count(p->part[i].shape);
    return count;
}

bool gb_model_draw(gb_model_site *s)
{
    gb_model_parts *const p = s->parts;
    if (gb_error(s->tape) != GB_OK || p->draw)
        return gb_error(s->tape) == GB_OK;
    if (p->count == 0)
        return gb_fail(s->tape, GB_EARGUMENT, "model: it declared no latents (gb_model_part)") == GB_OK;
    p->draw = gb_tape_keep(s->tape, p->count * sizeof *p->draw);
    if (!p->draw)
        return false;
    p->is_usual_mean_field = !s->posterior.type && numbers_of(p) > USUAL_FULL_RANK;
    if (!s->posterior.type)
        s->posterior = p->is_usual_mean_field ? gb_mean_field(gb_shape()) : gb_full_rank(gb_shape());
    gb_latent_block(s->elbo, gb_model_name(s, "latents"), s->posterior, p->count, p->part,
                    s->estimator.type ? s->estimator : gb_pathwise(), p->draw);
    return gb_error(s->tape) == GB_OK;
}

gb_node gb_model_value(const gb_model_site *s, size_t part)
{
    const gb_model_parts *const p = s->parts;
    if (p->draw && part < p->count)
        return p->draw[part];
    gb_fail(s->tape, GB_EARGUMENT, "model: latent %zu is read, and %s", part,
            p->draw ? "was not declared" : "gb_model_draw has drawn none yet");
    return (gb_node){0};
}

/* ---- data ---- */

static gb_node is_missing(const gb_model_site *s)
{
    const gb_shape missing = gb_shape((int64_t)s->missing);
    return gb_scatter_add(gb_ones(s->tape, missing), 0, gb_ints(s->tape, missing, s->missing_row), s->rows);
}

/* Latents that stand for outcomes are no outcomes that a prediction could be scored by. */
static void foresee_missing(gb_model_site *s, gb_dist law)
{
    const gb_node is_there = gb_sub(gb_num(s->tape, 1), is_missing(s));
    gb_observe(s->elbo, s->outcome, law, s->y,
               .weight = gb_node_ok(s->weight) ? gb_mul(s->weight, is_there) : is_there, .is_foreseen = true);
}

static bool is_of_rows(gb_node node)
{
    return gb_node_ok(node) && gb_node_axes(node) & GB_ROWS;
}

/* New rows may lack outcomes, also where no row of the training did. So without weights in the training,
 * predictions of rows have an input of their own for them, and the likelihood does without. */
static gb_node weight_of_scores(gb_model_site *s)
{
    if (gb_node_ok(s->weight) || !is_of_rows(s->y))
        return s->weight;
    s->parts->new_weight = gb_input_rows(s->tape, gb_model_name(s, "weight of scores"), gb_shape());
    return s->parts->new_weight;
}

static void foresee_rows(gb_model_site *s, gb_dist law)
{
    gb_observe(s->elbo, s->outcome, law, s->y, .weight = weight_of_scores(s), .is_foreseen = true);
}

/* Keeps log p of each row, given the latents, for gb_analysis_log_likelihood. */
static void keep_log_p(gb_model_site *s, gb_node log_p)
{
    s->parts->log_p = log_p;
    if (gb_node_ok(s->weight))
        gb_elbo_weigh(s->elbo, log_p, s->weight);
}

bool gb_model_observe(gb_model_site *s, gb_dist law)
{
    const gb_node y = s->parts->imputed ? gb_model_outcome(s) : s->y,
                  log_p = gb_observe(s->elbo, s->outcome, law, y, .weight = s->weight);
    keep_log_p(s, log_p);
    if (s->parts->imputed)
        foresee_missing(s, law);
    else if (!gb_node_ok(s->weight))
        foresee_rows(s, law);
    return gb_error(s->tape) == GB_OK;
}

gb_node gb_model_weighted(const gb_model_site *s, gb_node log_p)
{
    return gb_node_ok(s->weight) ? gb_mul(s->weight, log_p) : log_p;
}

bool gb_model_likelihood(gb_model_site *s, gb_node log_p, gb_dist law)
{
    gb_log_likelihood(s->elbo, s->outcome, log_p);
    if (gb_dist_ok(law))
        foresee_rows(s, law);
    if (is_of_rows(s->x) && gb_dist_ok(law))
        keep_log_p(s, gb_log_prob(law, s->y));
    return gb_error(s->tape) == GB_OK;
}

/* Of each number: 0 where it is missing. */
static gb_node weight_of_numbers(const gb_model_site *s)
{
    if (!gb_node_ok(s->present))
        return s->weight;
    return gb_node_ok(s->weight) ? gb_mul(s->weight, s->present) : s->present;
}

bool gb_model_observe_rows(gb_model_site *s, gb_node log_p, gb_dist law)
{
    gb_log_likelihood(s->elbo, s->outcome, gb_model_weighted(s, log_p));
    if (gb_dist_ok(law))
        gb_observe(s->elbo, s->outcome, law, s->x, .weight = weight_of_numbers(s), .is_foreseen = true);
    keep_log_p(s, log_p);
    return gb_error(s->tape) == GB_OK;
}

bool gb_model_observe_columns(gb_model_site *s, gb_dist law)
{
    const bool is_joint = gb_dist_ok(law) && gb_dist_event_shape(law).rank > 0;
    if (gb_error(s->tape) == GB_OK && is_joint && gb_node_ok(s->present))
        return gb_fail(s->tape, GB_EARGUMENT,
                       "model: numbers are missing, and the law is one of whole rows; gb_model_observe_rows "
                       "takes log p of those that are there") == GB_OK;
    const gb_node log_p = gb_observe(s->elbo, s->outcome, law, s->x, .weight = weight_of_numbers(s)),
                  there = gb_node_ok(s->present) ? gb_mul(s->present, log_p) : log_p;
    keep_log_p(s, gb_node_shape(there).rank > 0 ? gb_sum(there) : there);
    return gb_error(s->tape) == GB_OK;
}

static gb_node of_columns(const gb_model_site *s, const double *numbers)
{
    return gb_constant(s->tape, gb_shape(s->columns), gb_values_of(numbers, (size_t)s->columns));
}

gb_node gb_model_means(const gb_model_site *s)
{
    return of_columns(s, s->mean);
}

gb_node gb_model_sds(const gb_model_site *s)
{
    return of_columns(s, s->sd);
}

gb_node gb_model_standard_of(const gb_model_site *s, gb_node columns)
{
    return gb_div(gb_sub(columns, gb_model_means(s)), gb_model_sds(s));
}

gb_node gb_model_standard(const gb_model_site *s)
{
    const gb_node standard = gb_model_standard_of(s, s->x);
    return gb_node_ok(s->present) ? gb_mul(s->present, standard) : standard;
}

void gb_model_impute(gb_model_site *s)
{
    if (s->missing == 0)
        return;
    s->parts->imputed = 1 + gb_model_part(s, (gb_latent_part){.name = "missing",
                                                              .shape = gb_shape((int64_t)s->missing),
                                                              .prior = gb_no_prior});
    /* The latents are standardised outcomes, and the likelihood is a density of outcomes. */
    gb_factor(s->elbo, "units of missing outcomes", gb_num(s->tape, (double)s->missing * log(s->outcome_sd)));
}

gb_node gb_model_outcome(gb_model_site *s)
{
    gb_model_parts *const p = s->parts;
    if (!p->imputed || gb_node_ok(p->outcome))
        return p->imputed ? p->outcome : s->y;
    const gb_node scale = gb_num(s->tape, s->outcome_sd), centre = gb_num(s->tape, s->outcome_mean),
                  value = gb_add(centre, gb_mul(scale, gb_model_value(s, p->imputed - 1)));
    const gb_node at = gb_ints(s->tape, gb_shape((int64_t)s->missing), s->missing_row);
    const gb_node known = gb_mul(s->y, gb_sub(gb_num(s->tape, 1), is_missing(s)));
    p->outcome = gb_add(known, gb_scatter_add(value, 0, at, s->rows));
    gb_model_show(s, "missing", value);
    return p->outcome;
}

bool gb_model_foresee(gb_model_site *s, gb_dist law)
{
    s->parts->new_y = gb_input_rows(s->tape, gb_model_name(s, "new outcome"), gb_shape());
    s->parts->new_weight = gb_input_rows(s->tape, gb_model_name(s, "new weight"), gb_shape());
    gb_observe(s->elbo, s->outcome, law, s->parts->new_y, .weight = s->parts->new_weight,
               .is_foreseen = true);
    return gb_error(s->tape) == GB_OK;
}

/* ---- what is shown ---- */

static void add_node(gb_model_site *s, gb_model_nodes *to, const char *name, gb_node node)
{
    if (!gb_node_ok(node))
        return;
    gb_node *const list = with_room(s, to->node, to->count, &to->room, sizeof *list);
    if (!list)
        return;
    to->node = list;
    to->node[to->count++] = gb_named(node, name);
}

void gb_model_show(gb_model_site *s, const char *name, gb_node node)
{
    add_node(s, &s->parts->shown, name, node);
}

void gb_model_keep(gb_model_site *s, const char *name, gb_node node)
{
    add_node(s, &s->parts->kept, name, node);
}

void gb_model_show_each(gb_model_site *s, gb_node vector, const char *const *labels)
{
    const gb_shape shape = gb_node_shape(vector);
    for (int64_t i = 0; gb_node_ok(vector) && i < (int64_t)gb_shape_count(shape); i++)
        gb_model_show(s, labels[i], gb_at(vector, i));
}
