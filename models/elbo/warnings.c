/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/elbo/warnings_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "estimators/learn.h"
#include "estimators/visit.h"
#include "models/elbo/elbo_impl.h"
#include "models/elbo/kept_impl.h"
#include "ops/list.h"

/* ---- rows that are gone ---- */

static bool look_for_rows(void *context, gb_node node)
{
    bool *const has_rows = context;
    *has_rows |= (gb_node_axes(node) & GB_ROWS) != 0;
    return !*has_rows;
}

const char *gb_elbo_lost_rows(gb_node log_p)
{
    bool has_rows = false;
    if ((gb_node_axes(log_p) & GB_ROWS) || gb_visit(log_p, look_for_rows, &has_rows) != GB_OK || !has_rows)
        return NULL;
    return "its rows were summed before, so a batch does not stand for the data set: give one value for each "
           "row";
}

/* ---- averages ---- */

/* A number times a power of the number of rows. */
typedef struct multiple {
    double number;
    int rows;
} multiple;

/* The walk follows the operations in which the log likelihood is linear. Elsewhere (as in data minus their
 * mean) a factor means nothing. The number of steps is limited, since shared sums can have more paths than
 * nodes. */
typedef struct walk {
    int steps_left;
    const char *words;
} walk;

static multiple times(multiple a, multiple b)
{
    return (multiple){a.number * b.number, a.rows + b.rows};
}

static multiple inverse(multiple a)
{
    return (multiple){1 / a.number, -a.rows};
}

static bool is_multiple(walk *w, gb_node node, multiple *is_it)
{
    multiple a, b;
    *is_it = (multiple){1, 0};
    if (gb_is_uniform(node, &is_it->number))
        return true;
    if (gb_node_op(node) == &gb_axis_size_op) {
        is_it->rows = 1;
        return *(const gb_axes *)gb_node_attributes(node) == GB_ROWS;
    }
    const bool product = gb_node_is(node, "mul"), quotient = gb_node_is(node, "div");
    if ((!product && !quotient) || w->steps_left-- <= 0 || !is_multiple(w, gb_node_argument(node, 0), &a) ||
        !is_multiple(w, gb_node_argument(node, 1), &b))
        return false;
    *is_it = times(a, product ? b : inverse(b));
    return true;
}

static size_t count_of(gb_node node)
{
    return gb_shape_count(gb_node_shape(node));
}

/* `by` is the total factor of the sum, `divisor` the number it is divided by directly. If another factor
 * cancels the division, the result is not a mean. */
static void look_at_sum(walk *w, gb_node *inside, multiple by, double divisor)
{
    const double after = (double)count_of(*inside);
    while (gb_node_op(*inside) == &gb_sum_op)
        *inside = gb_node_argument(*inside, 0);
    if (gb_node_is(*inside, "square"))
        return; /* Σ z² / 2 over two numbers is a log density, although it looks like a mean */
    const double n = (double)count_of(*inside) / after;
    const bool is_divided = divisor == n && fabs(by.number) < 1, is_share = fabs(by.number * n - 1) < 1e-6;
    if (n > 1 && (is_divided || is_share))
        w->words = "it is a mean over the elements of a vector: if these are data, give their sum";
}

static void follow(walk *w, gb_node node, multiple by, double divisor);

static void follow_product(walk *w, gb_node node, multiple by)
{
    const gb_node a = gb_node_argument(node, 0), b = gb_node_argument(node, 1);
    multiple factor;
    if (is_multiple(w, b, &factor))
        follow(w, a, times(by, factor), 0);
    else if (is_multiple(w, a, &factor))
        follow(w, b, times(by, factor), 0);
}

static void follow_quotient(walk *w, gb_node node, multiple by)
{
    multiple count;
    if (is_multiple(w, gb_node_argument(node, 1), &count))
        follow(w, gb_node_argument(node, 0), times(by, inverse(count)), count.number);
}

static void follow(walk *w, gb_node node, multiple by, double divisor)
{
    if (w->words || w->steps_left-- <= 0)
        return;
    if (by.rows < 0 && !gb_node_is(node, "mul"))
        w->words = "it was divided by the number of rows: give one value for each row; .data_size scales it";
    else if (gb_node_is(node, "add") || gb_node_is(node, "sub")) {
        const multiple other = {gb_node_is(node, "add") ? by.number : -by.number, by.rows};
        follow(w, gb_node_argument(node, 0), by, 0);
        follow(w, gb_node_argument(node, 1), other, 0);
    } else if (gb_node_is(node, "neg"))
        follow(w, gb_node_argument(node, 0), (multiple){-by.number, by.rows}, 0);
    else if (gb_node_is(node, "mul"))
        follow_product(w, node, by);
    else if (gb_node_is(node, "div"))
        follow_quotient(w, node, by);
    else if (gb_node_op(node) == &gb_sum_op) {
        look_at_sum(w, &node, by, divisor);
        follow(w, node, by, 0);
    } else if (gb_node_is(node, "reshape") || gb_node_op(node) == &gb_broadcast_op)
        follow(w, gb_node_argument(node, 0), by, divisor);
}

const char *gb_elbo_averaged(gb_node log_p)
{
    walk w = {.steps_left = 4096};
    follow(&w, log_p, (multiple){1, 0}, 0);
    return w.words;
}

/* ---- variables without a KL ---- */

/* The variables that the loss depends on. Those that belong to a latent are replaced by inert nodes. */
typedef struct pool {
    size_t count;
    gb_node *variable;
} pool;

static bool strike(void *context, gb_node node)
{
    pool *const all = context;
    for (size_t i = 0; i < all->count && gb_node_is(node, "variable"); i++)
        if (gb_node_same(all->variable[i], node))
            all->variable[i] = (gb_node){0};
    return true;
}

static void strike_from(pool *all, gb_node node)
{
    if (gb_node_ok(node))
        gb_visit(node, strike, all);
}

static void strike_transform(pool *all, const gb_transform *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < sizeof t->param / sizeof *t->param; i++)
        strike_from(all, t->param[i]);
    strike_transform(all, t->inner);
    strike_transform(all, t->outer);
}

/* Removes the variables that q is made of: its own, and those of a network that computes its parameters. */
static void strike_dist(pool *all, const gb_dist *q)
{
    if (!q || !q->type)
        return;
    for (size_t i = 0; i < GB_MAX_PARAMS; i++)
        strike_from(all, q->param[i]);
    strike_transform(all, q->transform);
    strike_dist(all, q->base);
}

/* Removes the variables of factors, since a factor may be a prior. */
static void strike_factors(const gb_elbo *e, pool *all)
{
    for (const gb_own_term *term = e->last; term; term = term->before)
        if (term->shown.kind == GB_TERM_FACTOR)
            strike_from(all, term->each);
}

/* Removes the variables that estimators learn: they have objectives of their own. */
static void strike_learned(const gb_elbo *e, pool *all)
{
    const size_t count = gb_node_learned(e->loss, NULL, 0);
    gb_learned *const learned = gb_tape_keep(e->tape, (count + 1) * sizeof *learned);
    const bool found = learned && gb_node_learned(e->loss, learned, count) == count;
    for (size_t i = 0; found && i < count; i++)
        for (size_t k = 0; k < learned[i].count; k++)
            strike_from(all, learned[i].variable[k]);
}

static const char *words_for(const gb_elbo *e, const pool *all)
{
    enum { NAMED = 3 };
    char text[400] = "";
    size_t used = 0, left = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (!all->variable[i].tape)
            continue;
        if (left++ < NAMED)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%.60s", left > 1 ? ", " : "",
                                     gb_variable_name(all->variable[i]));
    }
    if (left > NAMED)
        used += (size_t)snprintf(text + used, sizeof text - used, " and %zu more", left - NAMED);
    if (left == 0)
        return NULL;
    snprintf(
        text + used, sizeof text - used,
        ": of no latent, and without KL or prior if the training moves it (a gb_latent with gb_point has a "
        "prior, gb_factor adds one; gb_stop leaves a variable as it is)");
    return gb_tape_keep_text(e->tape, text);
}

static const char *without_kl(const gb_elbo *e)
{
    pool all = {.count = gb_node_variables(e->loss, NULL, 0)};
    all.variable = gb_tape_keep(e->tape, (all.count + 1) * sizeof *all.variable);
    if (all.count == 0 || !all.variable || gb_node_variables(e->loss, all.variable, all.count) != all.count)
        return NULL;
    for (const gb_own_latent *at = e->latents; at; at = at->before)
        strike_dist(&all, &at->q);
    for (const gb_kept *at = e->kept; at; at = at->before)
        if (!gb_dist_ok(at->q))
            strike_from(&all, at->value);
    strike_factors(e, &all);
    strike_learned(e, &all);
    return gb_error(e->tape) == GB_OK ? words_for(e, &all) : NULL;
}

/* ---- evaluations ---- */

static const char *many_evaluations(const gb_elbo *e, gb_node sampled)
{
    static const double MANY = 1000;
    char text[400];
    const double count = gb_expect_evaluations(e->expect, sampled);
    if (count <= MANY)
        return NULL;
    const gb_axes axes = gb_node_axes(sampled) & ~(GB_SAMPLES | GB_ROWS);
    const bool is_product = (axes & (axes - 1)) != 0;
    snprintf(text, sizeof text,
             "each sample evaluates the model %.0f times: %s (docs/estimators.md says which estimators keep "
             "them few)",
             count,
             is_product ? "the evaluations of latents that depend on each other, and of sums over values, "
                          "multiply"
                        : "so many values are taken for one latent, or for several together, of which each "
                          "adds its own (measure takes 2 for each number, a sum over values all of them)");
    return gb_tape_keep_text(e->tape, text);
}

const char *gb_elbo_warning(const gb_elbo *e, gb_node sampled)
{
    const char *const kl = without_kl(e), *const many = many_evaluations(e, sampled);
    if (!kl || !many)
        return kl ? kl : many;
    const size_t bytes = strlen(kl) + strlen(many) + sizeof "; besides, ";
    char *const both = gb_tape_keep(e->tape, bytes);
    if (both)
        snprintf(both, bytes, "%s; besides, %s", kl, many);
    return both;
}
