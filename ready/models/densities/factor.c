/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>

#include "core/op.h"
#include "distributions/list.h"
#include "estimators/list.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/linear.h"
#include "ops/matmul.h"
#include "ops/reduce.h"
#include "ready/models.h"

/* In the units of the columns: mean and sd (columns), loadings (columns, factors). */
typedef struct factors {
    gb_node mean, loadings, sd;
} factors;

typedef struct numbers {
    size_t mean, below, diagonal, sd;
} numbers;

static void declare(gb_model_site *s, const gb_factor_model_options *o, numbers *part)
{
    gb_tape *const t = s->tape;
    const int64_t d = s->columns, k = o->factors;
    const gb_node zero = gb_num(t, 0), scale = gb_num(t, o->loading_scale);
    part->mean = gb_model_part_of(s, NULL, "means", gb_shape(d), gb_normal(zero, gb_num(t, o->mean_scale)));
    part->below =
        gb_model_part_of(s, NULL, "loadings", gb_shape(d * k - k * (k + 1) / 2), gb_normal(zero, scale));
    part->diagonal = gb_model_part_of(s, NULL, "positive loadings", gb_shape(k), gb_half_normal(scale));
    part->sd = gb_model_part_of(s, NULL, "sds", gb_shape(d), gb_model_sd_prior(s, o->sd_scale, o->sd_floor));
}

/* The matrix (d, k) of loadings: 0 above the diagonal, positive on it. Else factors could be rotated, and the
 * posterior would have as many modes as there are rotations. */
static gb_node triangle(const gb_model_site *s, const numbers *part, int64_t k)
{
    const int64_t d = s->columns, count = d * k - k * (k - 1) / 2;
    const gb_node both[] = {gb_model_value(s, part->diagonal), gb_model_value(s, part->below)};
    int64_t *const place = gb_tape_keep(s->tape, (size_t)count * sizeof *place);
    if (!place)
        return (gb_node){0};
    int64_t next = k;
    for (int64_t row = 0; row < d; row++)
        for (int64_t column = 0; column < k && column <= row; column++)
            place[row == column ? row : next++] = row * k + column;
    const gb_node flat =
        gb_scatter_add(gb_concat(2, both, 0), 0, gb_ints(s->tape, gb_shape(count), place), d * k);
    return gb_reshape(flat, gb_shape(d, k));
}

static void show(gb_model_site *s, const factors *f, int64_t k)
{
    char name[160];
    for (int64_t i = 0; i < k; i++) {
        snprintf(name, sizeof name, "loadings of factor %lld", (long long)i);
        gb_model_show(s, name, gb_reshape(gb_slice(f->loadings, -1, i, i + 1), gb_shape(s->columns)));
    }
    gb_model_show(s, "mean", f->mean);
    gb_model_show(s, "sd", f->sd);
}

/* ---- a row: its factors z have the posterior N(m, M⁻¹), M = I + Wᵀ diag(present / sd²) W ---- */

typedef struct row {
    gb_node w;         /* W / sd */
    gb_node off;       /* (x − mean) / sd, 0 where a number is missing */
    gb_node precision; /* M */
    gb_node root;      /* its Cholesky factor L */
    gb_node there;     /* W / sd, 0 where a number is missing */
    gb_node scores;    /* m = M⁻¹ seen, seen = Wᵀ off / sd */
} row;

static row look(const gb_model_site *s, const factors *f, int64_t k)
{
    const gb_node w = gb_div(f->loadings, gb_expand(f->sd, -1)), off = gb_div(gb_sub(s->x, f->mean), f->sd);
    const bool is_partial = gb_node_ok(s->present);
    const gb_node there = is_partial ? gb_mul(w, gb_expand(s->present, -1)) : w;
    row r = {.w = w, .off = is_partial ? gb_mul(off, s->present) : off, .there = there};
    r.precision = gb_add(gb_eye(s->tape, k), gb_matmul(there, w, .transpose_a = true));
    r.root = gb_cholesky(r.precision);
    const gb_node seen = gb_matmul(r.off, w);
    r.scores =
        gb_triangular_solve_vector(r.root, gb_triangular_solve_vector(r.root, seen), .transpose = true);
    return r;
}

/* log N(x; mean, W Wᵀ + diag sd²) of the numbers that are there. Its square is |off − W m / sd|² + |m|²,
 * which is |off|² − mᵀ seen without the difference of large numbers where an sd is small. */
static gb_node log_density(const gb_model_site *s, const factors *f, const row *r)
{
    const gb_node left = gb_sub(r->off, gb_matmul(r->there, r->scores));
    const gb_node one = gb_shift(gb_log(f->sd), 0.5 * log(6.283185307179586476925));
    const gb_node there = gb_node_ok(s->present) ? gb_mul(one, s->present) : one;
    const gb_node squares = gb_add(gb_sum(gb_square(left)), gb_sum(gb_square(r->scores)));
    return gb_neg(gb_add(gb_sum(there), gb_add(gb_scale(squares, 0.5), gb_triangular_log_det(r->root))));
}

static gb_node fitted(const factors *f, gb_node z)
{
    return gb_add(f->mean, gb_matmul(f->loadings, z));
}

/* The law of each number given the others of its row that are there. With its own, z has the precision M and
 * the mean m; let q = wᵀ M⁻¹ w of its loadings w / sd. Without it, wᵀ z has the variance q / (1 − q), and the
 * mean (wᵀ m − q off) / (1 − q). Of a missing number both are q and wᵀ m. */
static gb_dist given_others(const gb_model_site *s, const factors *f, const row *r)
{
    const gb_node one = gb_num(s->tape, 1),
                  half = gb_triangular_solve(r->root, gb_transpose(r->w, gb_axis())),
                  q = gb_sum_along(gb_square(half), gb_axis(0)), own = gb_mul(s->present, q),
                  left = gb_sub(one, own), off = gb_sub(gb_matmul(r->w, r->scores), gb_mul(own, r->off));
    return gb_normal(gb_add(f->mean, gb_mul(f->sd, gb_div(off, left))),
                     gb_mul(f->sd, gb_sqrt(gb_div(gb_add(one, gb_sub(q, own)), left))));
}

static void show_rows(gb_model_site *s, const factors *f, const row *r)
{
    gb_model_keep(s, "scores", r->scores);
    if (gb_node_ok(s->present))
        gb_model_keep(s, "imputed",
                      gb_add(s->x, gb_mul(gb_sub(gb_num(s->tape, 1), s->present), fitted(f, r->scores))));
}

static bool observe_drawn(gb_model_site *s, const factors *f, const row *r, gb_estimator estimator)
{
    const gb_node zero = gb_num(s->tape, 0), one = gb_num(s->tape, 1);
    const gb_node z = gb_latent(s->elbo, gb_model_name(s, "factors"),
                                gb_posterior_of(gb_multivariate_normal_precision(r->scores, r->precision)),
                                gb_normal(zero, one), estimator, .weight = s->weight);
    return gb_model_observe_columns(s, gb_normal(fitted(f, z), f->sd));
}

static bool build(gb_model_site *s, const void *options)
{
    const gb_factor_model_options *const o = options;
    numbers part = {0};
    if (o->factors >= s->columns)
        return gb_fail(s->tape, GB_EARGUMENT,
                       "factor: .factors is %lld, and must be from 1 to below the %lld columns",
                       (long long)o->factors, (long long)s->columns) == GB_OK;
    declare(s, o, &part);
    if (!gb_model_draw(s))
        return false;
    const gb_node scale = gb_model_sds(s);
    const factors f = {.mean = gb_add(gb_model_means(s), gb_mul(scale, gb_model_value(s, part.mean))),
                       .loadings = gb_mul(gb_expand(scale, -1), triangle(s, &part, o->factors)),
                       .sd = gb_mul(scale, gb_model_value(s, part.sd))};
    const row r = look(s, &f, o->factors);
    show(s, &f, o->factors);
    show_rows(s, &f, &r);
    if (o->scores.type)
        return observe_drawn(s, &f, &r, o->scores);
    if (gb_node_ok(s->present))
        return gb_model_observe_rows(s, log_density(s, &f, &r), given_others(s, &f, &r));
    return gb_model_observe_columns(s, gb_low_rank_normal(f.mean, f.loadings, gb_square(f.sd)));
}

static const gb_option table[] = {
    GB_OPTION_WHOLE(gb_factor_model_options, factors, 1, GB_COUNT, "how many"),
    GB_OPTION_NUMBER(gb_factor_model_options, loading_scale, 1, GB_POSITIVE, "of loadings, in sds"),
    GB_OPTION_NUMBER(gb_factor_model_options, mean_scale, 2.5, GB_POSITIVE, "of means, in sds of columns"),
    GB_OPTION_NUMBER(gb_factor_model_options, sd_scale, 1, GB_POSITIVE, "of noise, in sds of columns"),
    GB_OPTION_PLUGIN(gb_factor_model_options, scores, gb_estimator, NULL, "draws factors of rows"),
    GB_OPTION_NUMBER(gb_factor_model_options, sd_floor, 0.1, GB_POSITIVE, "below it sds are unlikely"),
    {0}};

const gb_model_type gb_factor_model_type = {
    .size = sizeof(gb_model_type),
    .name = "factor",
    .formula = "x ~ N(W z + mean, diag sd^2), z ~ N(0, I)",
    .options = table,
    .option_bytes = sizeof(gb_factor_model_options),
    .no_intercept = true,
    .build = build,
};

gb_model gb_factor_model_with(const gb_factor_model_options *options)
{
    return gb_model_of(&gb_factor_model_type, options);
}
