/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ready/models/processes/inducing_impl.h"

#include <math.h>
#include <string.h>

#include "core/tape.h"

enum { MOST_ROWS = 10000, STEPS = 10 };

/* Rows that are clustered, with the centre that is nearest to each. */
typedef struct cover {
    int64_t rows, columns, centres;
    double *row, *centre;
    double *weight;   /* of each row: a row of weight 2 is two */
    double *distance; /* squared, of each row; −∞ if it does not count */
    int64_t *nearest;
} cover;

/* By more than rounding: of equal distances the first counts, whatever the units of the columns are. */
static bool is_more(double a, double b)
{
    return a > b * (1 + 1e-9);
}

static double squared_distance(const double *a, const double *b, int64_t columns)
{
    double sum = 0;
    for (int64_t k = 0; k < columns; k++)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sum;
}

static bool new_cover(cover *c, const gb_model_site *s, int64_t most)
{
    const int64_t stride = (s->rows + MOST_ROWS - 1) / MOST_ROWS;
    *c = (cover){.rows = (s->rows + stride - 1) / stride, .columns = s->columns};
    const size_t row_bytes = (size_t)s->columns * sizeof(double), rows = (size_t)c->rows;
    c->row = gb_tape_keep(s->tape, rows * row_bytes);
    c->centre = gb_tape_keep(s->tape, (size_t)most * row_bytes);
    c->distance = gb_tape_keep(s->tape, rows * sizeof *c->distance);
    c->nearest = gb_tape_keep(s->tape, rows * sizeof *c->nearest);
    c->weight = gb_tape_keep(s->tape, rows * sizeof *c->weight);
    if (!c->row || !c->centre || !c->distance || !c->nearest || !c->weight)
        return false;
    for (int64_t i = 0; i < c->rows * c->columns; i++) {
        const int64_t row = i / c->columns * stride, k = i % c->columns;
        c->row[i] = (gb_numbers_at(s->values, (size_t)(row * c->columns + k)) - s->mean[k]) / s->sd[k];
    }
    for (int64_t i = 0; i < c->rows; i++) {
        c->weight[i] = s->weights ? s->weights[i * stride] : 1;
        c->distance[i] = c->weight[i] > 0 ? (double)INFINITY : -(double)INFINITY;
    }
    return true;
}

/* Adds the row that counts and is farthest from all centres (Gonzalez 1985). Returns false if there is a
 * centre at each. */
static bool add_farthest(cover *c)
{
    int64_t farthest = 0;
    for (int64_t i = 1; i < c->rows; i++)
        farthest = is_more(c->distance[i], c->distance[farthest]) ? i : farthest;
    if (c->centres > 0 && !(c->distance[farthest] > 0))
        return false;
    const double *const place = c->row + farthest * c->columns;
    memcpy(c->centre + c->centres * c->columns, place, (size_t)c->columns * sizeof *place);
    for (int64_t i = 0; i < c->rows; i++)
        c->distance[i] = fmin(c->distance[i], squared_distance(c->row + i * c->columns, place, c->columns));
    c->centres++;
    return true;
}

static void find_nearest(cover *c)
{
    for (int64_t i = 0; i < c->rows; i++) {
        double least = (double)INFINITY;
        for (int64_t j = 0; j < c->centres; j++) {
            const double d =
                squared_distance(c->row + i * c->columns, c->centre + j * c->columns, c->columns);
            const bool is_nearer = is_more(least, d);
            c->nearest[i] = is_nearer ? j : c->nearest[i];
            least = is_nearer ? d : least;
        }
    }
}

/* Moves each centre to the mean of its rows, by running means. */
static void move_centres(cover *c, double *count)
{
    memset(count, 0, (size_t)c->centres * sizeof *count);
    for (int64_t i = 0; i < c->rows; i++) {
        double *const centre = c->centre + c->nearest[i] * c->columns, before = count[c->nearest[i]],
                      n = count[c->nearest[i]] += c->weight[i];
        for (int64_t k = 0; k < c->columns && n > 0; k++)
            centre[k] = before == 0 ? c->row[i * c->columns + k]
                                    : centre[k] + (c->row[i * c->columns + k] - centre[k]) * c->weight[i] / n;
    }
}

static const double *noted(const gb_model_site *s, const char *name, int64_t most, int64_t *count)
{
    size_t bytes = 0;
    const void *const note = gb_tape_noted(s->tape, name, &bytes);
    const size_t of_place = (size_t)s->columns * sizeof(double);
    double *const place = note && bytes > 0 ? gb_tape_keep(s->tape, bytes) : NULL;
    *count = (int64_t)(bytes / of_place);
    if (!note || bytes % of_place != 0 || *count < 1 || *count > most)
        gb_fail(s->tape, GB_EARGUMENT, "sparse_gaussian_process: the note \"%s\" has no inducing places",
                name);
    if (!place || gb_error(s->tape) != GB_OK)
        return NULL;
    return memcpy(place, note, bytes);
}

const double *gb_inducing_places(const gb_model_site *s, int64_t most, int64_t *count)
{
    cover c;
    const char *const name = gb_model_name(s, "analysis.places");
    if (!name)
        return NULL;
    if (!s->values.at)
        return noted(s, name, most, count);
    double *const in_cluster = gb_tape_keep(s->tape, (size_t)most * sizeof *in_cluster);
    if (!in_cluster || !new_cover(&c, s, most))
        return NULL;
    while (c.centres < most && add_farthest(&c))
        continue;
    for (int step = 0; step < STEPS; step++) {
        find_nearest(&c);
        move_centres(&c, in_cluster);
    }
    *count = c.centres;
    const size_t numbers = (size_t)(c.centres * c.columns);
    return gb_tape_note(s->tape, name, c.centre, numbers * sizeof *c.centre) == GB_OK ? c.centre : NULL;
}
