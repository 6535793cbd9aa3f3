/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/predicting/held_out_impl.h"

#include <math.h>
#include <string.h>

#include "core/graph/feeds_impl.h"
#include "core/graph/first_row_impl.h"
#include "core/graph/gathered_impl.h"
#include "core/op.h"
#include "core/team.h"
#include "models/predicting/blocks_impl.h"
#include "models/predicting/outlook_impl.h"

/* Bytes of a block of rows. */
static const double AT_ONCE = 0x1p26;

struct gb_held_out {
    struct gb_held_out *other; /* by the other score; NULL: none */
    gb_tape *tape;
    bool by_elbo, is_random, mixes_rows;
    double counted;        /* rows that a value stands for: all of the data set for the ELBO; 1 */
    size_t roots, numbers; /* numbers of a row, of all roots; 1 for the ELBO */
    size_t weights;        /* roots after these: the weights of their data; 0 or as many */
    gb_program *program;
};

/* ---- the program ---- */

/* Another law says what new rows of this outcome are: the one that gb_predictive takes. */
static bool is_foreseen_otherwise(const gb_elbo *e, const gb_kept_outcome *outcome)
{
    for (const gb_kept_outcome *o = e->outcomes; o && !outcome->is_foreseen; o = o->before)
        if (o->is_foreseen && strcmp(o->name, outcome->name) == 0)
            return true;
    return false;
}

/* The roots are log densities of all outcomes: those that vary over rows. */
static bool find_densities(gb_elbo *e, const gb_outlook *look, gb_held_out *h, gb_node *root, gb_node *weight)
{
    for (const gb_kept_outcome *o = e->outcomes; o; o = o->before) {
        gb_view v;
        if (is_foreseen_otherwise(e, o))
            continue;
        if (!gb_view_density(&look->q, o, &v))
            return false;
        if (!v.has_rows)
            return gb_fail(e->tape, GB_EARGUMENT,
                           "fit: .validate: outcome %s does not vary over rows, so its rows cannot be held "
                           "out; .validate_by = GB_VALIDATE_ELBO scores all terms",
                           o->name) == GB_OK;
        h->is_random |= (gb_node_axes(v.log_p) & GB_SAMPLES) != 0;
        h->mixes_rows |= v.mixes_rows;
        h->numbers += gb_shape_count(v.batch);
        if (gb_node_ok(v.weight))
            h->weights = 1;
        else
            v.weight = gb_broadcast_to(gb_num(e->tape, 1), v.batch);
        weight[h->roots] = gb_widen(v.weight, GB_ROWS);
        root[h->roots++] = gb_widen(v.log_p, GB_ROWS);
    }
    h->weights *= h->roots;
    memcpy(root + h->roots, weight, h->weights * sizeof *weight);
    if (h->roots == 0)
        gb_fail(e->tape, GB_EARGUMENT, "fit: .validate needs data, and the ELBO has none (gb_observe)");
    return h->roots > 0;
}

static bool find_elbo(gb_elbo *e, gb_held_out *h, gb_node *root)
{
    size_t count;
    const gb_elbo_term *const terms = gb_elbo_terms(e, &count);
    if (!terms)
        return false;
    root[0] = terms[count - 1].value;
    h->roots = h->numbers = 1;
    h->counted = e->options.data_size;
    h->is_random = e->has_draw;
    return true;
}

static gb_held_out *make(gb_elbo *e, gb_outlook *look, bool by_elbo)
{
    size_t outcomes = 1;
    for (const gb_kept_outcome *o = e->outcomes; o; o = o->before)
        outcomes++;
    gb_held_out *const h = gb_tape_keep(e->tape, sizeof *h);
    gb_node *const root = gb_tape_keep(e->tape, 3 * outcomes * sizeof *root);
    if (!h || !root)
        return NULL;
    *h = (gb_held_out){.other = look->held_out, .tape = e->tape, .by_elbo = by_elbo, .counted = 1};
    if (!(by_elbo ? find_elbo(e, h, root) : find_densities(e, look, h, root, root + 2 * outcomes)))
        return NULL;
    h->program = gb_compile(e->tape, gb_roots_of(h->roots + h->weights, root), gb_no_update);
    gb_program_set_apart(h->program);
    const int64_t samples = by_elbo && e->options.samples > 0 ? e->options.samples : 1;
    if (gb_program_set_samples(h->program, samples) != GB_OK)
        return NULL;
    if (h->mixes_rows && gb_tape_team(e->tape))
        gb_fail(
            e->tape, GB_EARGUMENT,
            "fit: .validate: the density of a row depends on other rows, which the members of a team have "
            "apart; .validate_by = GB_VALIDATE_ELBO takes each member's rows together");
    look->held_out = h;
    return h;
}

gb_held_out *gb_held_out_of(gb_elbo *e, bool by_elbo)
{
    gb_outlook *const look = gb_outlook_of(e);
    gb_held_out *at = look ? look->held_out : NULL;
    while (at && at->by_elbo != by_elbo)
        at = at->other;
    return at || !look ? at : make(e, look, by_elbo);
}

/* ---- scoring ---- */

typedef struct scoring {
    gb_held_out *of;
    int64_t draws, all;         /* all rows */
    double *value;              /* of a run */
    double *largest, *sum;      /* of each datum: over draws, exp(log p − largest) */
    double *weight;             /* of each datum; NULL: each counts */
    double rows, mean, squares; /* over the rows */
} scoring;

static bool make_room(scoring *s, int64_t rows)
{
    const gb_memory memory = gb_tape_memory(s->of->tape);
    const size_t count = s->of->by_elbo ? 1 : (size_t)rows * s->of->numbers;
    s->value = gb_memory_resize(&memory, NULL, 4 * count * sizeof *s->value);
    if (!s->value)
        gb_fail(s->of->tape, GB_ENOMEM, "fit: .validate: out of memory for %zu numbers", count);
    s->weight = s->value && s->of->weights > 0 ? s->value + 3 * count : NULL;
    s->largest = s->value ? s->value + count : NULL;
    s->sum = s->value ? s->value + 2 * count : NULL;
    return s->value;
}

static int64_t begin(void *user, gb_gathered *gathered, int64_t rows)
{
    scoring *const s = user;
    gb_program *const program = s->of->program;
    const char *const missing = gb_feeds_missing(program, gb_gathered_has, gathered);
    if (missing || rows <= 0) {
        gb_fail(s->of->tape, GB_EARGUMENT, "fit: .validate has no %s%s, which its score needs",
                missing ? "column for input " : "row", missing ? missing : "");
        return 0;
    }
    const double of_row = 4 * sizeof(double) * (double)s->of->numbers;
    int64_t at_once = gb_rows_within(AT_ONCE, of_row, 1, &program, gathered, rows);
    if (at_once > 0 && s->of->mixes_rows)
        at_once = s->all;
    return at_once > 0 && make_room(s, at_once) ? at_once : 0;
}

/* Adds a draw to Σ exp(log p), without overflow. */
static void add_draw(scoring *s, size_t count, bool is_first)
{
    for (size_t i = 0; i < count; i++) {
        const double x = s->value[i];
        if (is_first) {
            s->largest[i] = x;
            s->sum[i] = 1;
        } else if (x > s->largest[i]) {
            s->sum[i] = s->sum[i] * exp(s->largest[i] - x) + 1;
            s->largest[i] = x;
        } else if (x > -(double)INFINITY || isnan(x))
            s->sum[i] += exp(x - s->largest[i]);
    }
}

static void add_row(scoring *s, double x, int64_t weight)
{
    const double off = x - s->mean;
    s->rows += (double)weight;
    s->mean += off * (double)weight / s->rows;
    s->squares += off * (x - s->mean);
}

static bool read_roots(const scoring *s, size_t from, size_t count, double *to)
{
    for (size_t k = from; k < from + count; k++) {
        if (gb_read_root(s->of->program, k, to) != GB_OK)
            return false;
        to += gb_program_root_count(s->of->program, k);
    }
    return true;
}

static bool read_densities(const scoring *s)
{
    return read_roots(s, 0, s->of->roots, s->value) && read_roots(s, s->of->roots, s->of->weights, s->weight);
}

/* A datum is at the same place of each run: rows of the first root, then those of the second … */
static void add_rows(scoring *s, int64_t rows, int64_t draws)
{
    const size_t numbers = s->of->numbers, count = (size_t)rows * numbers;
    for (size_t i = 0; i < count; i++)
        s->value[i] = s->largest[i] + log(s->sum[i] / (double)draws);
    for (int64_t row = 0; row < rows; row++) {
        double sum = 0;
        size_t before = 0, there = 0;
        for (size_t k = 0; k < s->of->roots; k++) {
            const size_t each = gb_program_root_count(s->of->program, k) / (size_t)rows;
            for (size_t i = before + (size_t)row * each, end = i + each; i < end; i++)
                if (!s->weight || s->weight[i] != 0) {
                    sum += s->value[i];
                    there++;
                }
            before += each * (size_t)rows;
        }
        if (there > 0)
            add_row(s, sum, 1);
    }
}

static bool look(void *user, gb_gathered *gathered, int64_t first, int64_t rows)
{
    (void)gathered;
    scoring *const s = user;
    const gb_held_out *const h = s->of;
    const int64_t draws = h->is_random ? s->draws : 1;
    double sum = 0;
    gb_program_set_first_row(h->program, (uint64_t)first);
    for (int64_t d = 0; d < draws; d++) {
        if (gb_program_set_step(h->program, (uint64_t)d) != GB_OK || gb_run(h->program) != GB_OK ||
            !read_densities(s))
            return false;
        if (h->by_elbo)
            sum += s->value[0] / (double)draws;
        else
            add_draw(s, (size_t)rows * h->numbers, d == 0);
    }
    if (h->by_elbo)
        add_row(s, sum, rows);
    else
        add_rows(s, rows, draws);
    return true;
}

/* Each member of a team has scored its part of the rows. */
static bool add_up(scoring *s)
{
    double rows_and_sum[2] = {s->rows, s->rows * s->mean};
    if (!gb_tape_add_up(s->of->tape, rows_and_sum, 2))
        return false;
    const double mean = rows_and_sum[0] > 0 ? rows_and_sum[1] / rows_and_sum[0] : 0;
    const double off = s->mean - mean;
    double squares = s->squares + s->rows * off * off;
    if (!gb_tape_team(s->of->tape))
        return true;
    s->rows = rows_and_sum[0];
    s->mean = mean;
    if (!gb_tape_add_up(s->of->tape, &squares, 1))
        return false;
    s->squares = squares;
    return true;
}

bool gb_held_out_rows(gb_held_out *h, int64_t rows, bool (*next)(void *batches), void *batches, int64_t draws,
                      gb_held_out_score *score)
{
    const gb_memory memory = gb_tape_memory(h->tape);
    scoring s = {.of = h, .draws = draws, .all = rows};
    const gb_blocks blocks = {
        .tape = h->tape, .next = next, .batches = batches, .begin = begin, .look = look, .user = &s};
    const double n = gb_each_block(&blocks) && add_up(&s) ? s.rows : 0;
    const bool good = n > 0;
    if (!good && gb_error(h->tape) == GB_OK)
        gb_fail(h->tape, GB_EARGUMENT,
                "fit: .validate: none of the %lld rows counts: all have the weight 0, or no outcome",
                (long long)rows);
    score->mean = good ? s.mean / h->counted : (double)NAN;
    score->error = good && !h->by_elbo && n > 1 ? sqrt(s.squares / (n - 1) / n) : (double)NAN;
    if (s.value)
        gb_memory_release(&memory, s.value);
    return good;
}
