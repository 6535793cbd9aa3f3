/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions at many points: one program, few runs, always with the same numbers of rows. */
#include "kit/distributions/evaluate_impl.h"

#include <string.h>

#include "core/gradient.h"
#include "kit/shell/values_impl.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

enum { FEW = 64, MANY = 2048 };

gb_node gb_case_quantity(gb_dist d, const char *name, gb_node x)
{
    return strcmp(name, "mean") == 0               ? gb_dist_mean(d)
           : strcmp(name, "variance") == 0         ? gb_dist_variance(d)
           : strcmp(name, "mode") == 0             ? gb_dist_mode(d)
           : strcmp(name, "entropy") == 0          ? gb_dist_entropy(d)
           : !x.tape                               ? (gb_node){0}
           : strcmp(name, "log_prob") == 0         ? gb_log_prob(d, x)
           : strcmp(name, "cdf") == 0              ? gb_cdf(d, x)
           : strcmp(name, "icdf") == 0             ? gb_icdf(d, x)
           : strcmp(name, "survival") == 0         ? gb_survival(d, x)
           : strcmp(name, "inverse_survival") == 0 ? gb_inverse_survival(d, x)
                                                   : (gb_node){0};
}

static gb_node rows_of(gb_dist_case *c, const char *what, gb_shape shape)
{
    char name[48];
    snprintf(name, sizeof name, "kit %s %zu", what, gb_tape_length(c->tape)); /* new to the tape */
    return gb_input_rows(c->tape, name, shape);
}

void gb_case_function_begin(gb_case_function *f, gb_dist_case *c)
{
    *f = (gb_case_function){.c = c};
    f->x = rows_of(c, "x", c->shape);
    f->weight = rows_of(c, "weight", gb_shape());
}

bool gb_case_function_finish(gb_case_function *f, size_t roots, const gb_node *root)
{
    f->roots = roots;
    for (size_t i = 0; i < roots; i++)
        f->root[i] = gb_widen(root[i], GB_ROWS);
    f->program = gb_compile(f->c->tape, (gb_node_list){.count = roots, .node = f->root}, gb_no_update);
    f->feed = gb_tape_keep(f->c->tape, MANY * (f->c->size + 1) * sizeof *f->feed);
    return f->program && f->feed;
}

/* Runs `count` ≤ `rows` points, and repeats the last one to fill the rows. */
static bool run_rows(gb_case_function *f, size_t rows, size_t count, const double *x)
{
    const size_t size = f->c->size;
    for (size_t i = 0; i < rows; i++)
        memcpy(f->feed + i * size, x + (i < count ? i : count - 1) * size, size * sizeof *x);
    return gb_feed(f->x, f->feed, (int64_t)rows) == GB_OK && gb_run(f->program) == GB_OK;
}

bool gb_case_evaluate(gb_case_function *f, size_t count, const double *x, double *out)
{
    for (size_t done = 0; done < count;) {
        const size_t left = count - done, rows = left <= FEW ? FEW : MANY, now = left < rows ? left : rows;
        if (!run_rows(f, rows, now, x + done * f->c->size))
            return false;
        for (size_t i = 0; i < f->roots; i++) {
            if (gb_value_count(f->root[i]) != rows || gb_read(f->root[i], f->feed, rows) != GB_OK)
                return false;
            memcpy(out + i * count + done, f->feed, now * sizeof *out);
        }
        done += now;
    }
    return true;
}

bool gb_case_log_prob(gb_case_function *f, gb_dist_case *c, gb_dist d)
{
    gb_case_function_begin(f, c);
    const gb_node log_p = gb_log_prob(d, f->x);
    return gb_case_function_finish(f, 1, &log_p);
}

bool gb_case_distribution_function(gb_case_function *f, gb_dist_case *c, gb_ability which)
{
    gb_case_function_begin(f, c);
    const gb_node y = which == GB_CAN_CDF        ? gb_cdf(c->d, f->x)
                      : which == GB_CAN_ICDF     ? gb_icdf(c->d, f->x)
                      : which == GB_CAN_SURVIVAL ? gb_survival(c->d, f->x)
                                                 : gb_inverse_survival(c->d, f->x);
    return gb_case_function_finish(f, 1, &y);
}

/* ---- weighted gradients ---- */

bool gb_case_slopes(gb_dist_case *c, gb_node total, gb_node *slopes)
{
    return c->variables == 0 || gb_grads(total, c->variable, c->variables, slopes) == GB_OK;
}

bool gb_case_score_begin(gb_case_scores *s, gb_dist_case *c, gb_dist d)
{
    gb_case_function_begin(&s->f, c);
    const gb_node log_p = gb_log_prob(d, s->f.x), none = gb_num(c->tape, 0);
    /* if the weight is 0 the score may be anything */
    const gb_node used = gb_where(gb_equal(s->f.weight, none), none, gb_mul(s->f.weight, log_p));
    if (!gb_case_slopes(c, gb_sum_over(gb_sum(used), GB_ROWS), s->slope))
        return false;
    s->f.program = gb_compile(c->tape, (gb_node_list){.count = c->variables, .node = s->slope}, gb_no_update);
    s->f.feed = gb_tape_keep(c->tape, MANY * (c->size + 1) * sizeof *s->f.feed);
    return s->f.program && s->f.feed;
}

static bool add_slopes(gb_case_scores *s, double *out)
{
    size_t at = 0, count;
    for (size_t i = 0; i < s->f.c->variables; i++) {
        const double *const slope = gb_kit_read(s->f.c->tape, s->slope[i], &count);
        for (size_t j = 0; slope && j < count; j++)
            out[at + j] += slope[j];
        if (!slope)
            return false;
        at += count;
    }
    return true;
}

bool gb_case_score(gb_case_scores *s, size_t count, const double *x, const double *weight, double *out)
{
    double weights[MANY];
    memset(out, 0, gb_case_elements(s->f.c) * sizeof *out);
    for (size_t done = 0; done < count; done += MANY) {
        const size_t now = count - done < MANY ? count - done : MANY;
        memset(weights, 0, sizeof weights);
        memcpy(weights, weight + done, now * sizeof *weight);
        if (gb_feed(s->f.weight, weights, MANY) != GB_OK ||
            !run_rows(&s->f, MANY, now, x + done * s->f.c->size) || !add_slopes(s, out))
            return false;
    }
    return true;
}

/* ---- draws ---- */

double *gb_case_draws(gb_dist_case *c, gb_node draw, size_t count)
{
    const gb_node root = gb_widen(draw, GB_SAMPLES);
    gb_program *const program = gb_compile(c->tape, gb_roots(root), gb_no_update);
    size_t read;
    if (gb_program_set_samples(program, (int64_t)count) != GB_OK || gb_run(program) != GB_OK)
        return NULL;
    double *const values = gb_kit_read(c->tape, root, &read);
    gb_program_free(program);
    return read == count * c->size ? values : NULL;
}
