/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ready/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/tape.h"
#include "distributions/list.h"
#include "ops/elementwise.h"
#include "ready/model/parts_impl.h"

size_t gb_model_sigma(gb_model_site *s, double scale)
{
    return gb_model_part_of(s, "", "sigma", gb_shape(), gb_half_normal(gb_num(s->tape, scale)));
}

gb_node gb_model_sigma_value(const gb_model_site *s, size_t part, bool raw)
{
    const gb_node sigma = gb_model_value(s, part);
    return raw ? sigma : gb_mul(gb_num(s->tape, s->outcome_sd), sigma);
}

double gb_model_log_mean(const gb_model_site *s)
{
    return log(s->outcome_mean > 0 ? s->outcome_mean : 0.5 / s->counted_rows);
}

/* ---- whether weights leave a posterior of it ---- */

/* A row that counts. */
typedef struct counting {
    const gb_model_site *site;
    int64_t row;
} counting;

static int by_size(double a, double b)
{
    return (a > b) - (a < b);
}

static int by_place(const counting *a, const counting *b)
{
    const gb_model_site *const s = a->site;
    int order = 0;
    for (int64_t k = 0; k < s->columns && order == 0; k++)
        order = by_size(gb_numbers_at(s->values, (size_t)(a->row * s->columns + k)),
                        gb_numbers_at(s->values, (size_t)(b->row * s->columns + k)));
    return order;
}

static int by_place_and_outcome(const void *x, const void *y)
{
    const counting *const a = x, *const b = y;
    const int order = by_place(a, b);
    return order ? order : by_size(a->site->outcomes[a->row], a->site->outcomes[b->row]);
}

static double weight_of(const gb_model_site *s, int64_t row)
{
    return s->weights ? s->weights[row] : 1;
}

/* Places of rows that count. Stores whether outcomes differ at one of them: they show the noise. */
static int64_t count_places(counting *row, int64_t rows, bool *show_noise)
{
    int64_t places = rows > 0;
    qsort(row, (size_t)rows, sizeof *row, by_place_and_outcome);
    for (int64_t i = 1; i < rows; i++)
        if (by_place(&row[i - 1], &row[i]) != 0)
            places++;
        else
            *show_noise |= by_place_and_outcome(&row[i - 1], &row[i]) != 0;
    return places;
}

bool gb_model_has_noise(const gb_model_site *s, int64_t values, bool has_columns)
{
    const double by_rounding = 1e-6;
    counting *const row = s->outcomes ? gb_tape_keep(s->tape, (size_t)s->rows * sizeof *row) : NULL;
    bool shows_noise = false;
    int64_t rows = 0;
    double sum = 0;
    if (!row)
        return gb_error(s->tape) == GB_OK; /* a process that only predicts */
    for (int64_t i = 0; i < s->rows; i++)
        if (weight_of(s, i) > 0) {
            row[rows++] = (counting){.site = s, .row = i};
            sum += weight_of(s, i);
        }
    const int64_t places = has_columns ? count_places(row, rows, &shows_noise) : rows;
    if (sum - (double)places < 1 - by_rounding || values < places || shows_noise)
        return true;
    return gb_fail(
               s->tape, GB_EARGUMENT,
               "model: the %lld rows that count have weights whose sum is %g, at %lld places, so that they "
               "have no posterior: its density is infinite without noise, as each place has a value of "
               "its own, and no two outcomes differ at one; %s",
               (long long)rows, sum, (long long)places,
               has_columns ? "divide the weights by their mean, leave out repeated rows, or take "
                             "gb_sparse_gaussian_process_model with fewer .inducing places"
                           : "divide the weights by their mean") == GB_OK;
}

/* ---- whether equal numbers leave a posterior of an sd of their own ---- */

/* A number, and how often it counts. */
typedef struct number {
    double x, weight;
} number;

static int by_number(const void *a, const void *b)
{
    return by_size(((const number *)a)->x, ((const number *)b)->x);
}

/* A prior s ~ gamma(2, …) has a density ∝ s at 0, and the mean of W equal numbers is known within s. */
enum { TOO_OFTEN = 3 };

/* The numbers of a column (0: of the outcomes, if there are some) that count. */
static int64_t take_numbers(const gb_model_site *s, int64_t column, number *to)
{
    int64_t count = 0;
    for (int64_t i = 0; i < s->rows; i++) {
        const size_t at = (size_t)(i * s->columns + column);
        const bool is_there = s->outcomes || !s->parts->present || s->parts->present[at] > 0;
        if (is_there && weight_of(s, i) > 0)
            to[count++] =
                (number){s->outcomes ? s->outcomes[i] : gb_numbers_at(s->values, at), weight_of(s, i)};
    }
    return count;
}

/* Returns the number that counts most often; rows with equal ones are added. */
static number heaviest(number *of, int64_t count)
{
    number most = {0, 0};
    qsort(of, (size_t)count, sizeof *of, by_number);
    for (int64_t i = 0; i < count; i++) {
        if (i > 0 && by_number(&of[i - 1], &of[i]) == 0)
            of[i].weight += of[i - 1].weight;
        most = of[i].weight > most.weight ? of[i] : most;
    }
    return most;
}

static void remark(gb_model_site *s, const char *name, number tie)
{
    char text[360];
    snprintf(text, sizeof text,
             "%.80s is %g in rows that count %g times: a normal of them alone would have a density without "
             "bound as its sd falls to 0, so the posterior is improper there, and a fit describes the part "
             "away from it",
             name, tie.x, tie.weight);
    s->parts->remark = gb_tape_keep_text(s->tape, text);
}

bool gb_model_has_spread(gb_model_site *s)
{
    const double by_rounding = 1e-6;
    const int64_t columns = s->outcomes ? 1 : s->columns;
    number *const room =
        s->outcomes || s->values.at ? gb_tape_keep(s->tape, (size_t)s->rows * sizeof *room) : NULL;
    number worst = {0, 0};
    for (int64_t k = 0; room && k < columns; k++) {
        const char *const name = s->outcomes ? s->outcome : s->column[k];
        const int64_t count = take_numbers(s, k, room);
        for (int64_t i = 0; i < count; i++)
            if (room[i].weight > TOO_OFTEN - by_rounding)
                return gb_fail(
                           s->tape, GB_EARGUMENT,
                           "model: a row of weight %g, where %s is %g, leaves no posterior: a normal of that "
                           "row alone has a density without bound as its sd falls to 0; divide the weights "
                           "by their mean",
                           room[i].weight, name, room[i].x) == GB_OK;
        const number tie = heaviest(room, count);
        if (tie.weight > fmax(worst.weight, TOO_OFTEN - by_rounding)) {
            worst = tie;
            remark(s, name, tie);
        }
    }
    return gb_error(s->tape) == GB_OK;
}
