/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions of a few vectors: the frequency of each, beside its probability. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "docs/generate/pictures_impl.h"

enum { MOST_STATES = 40, MOST_BESIDE = 40 }; /* as many elements fit below the bars, side by side */

typedef struct states {
    size_t count, elements;
    double value[MOST_STATES][MOST_EVENT], frequency[MOST_STATES], log_prob[MOST_STATES];
} states;

/* Compares states in the order of their elements. */
static int compare(const double *a, const double *b, size_t elements)
{
    for (size_t i = 0; i < elements; i++)
        if (a[i] != b[i])
            return a[i] > b[i] ? -1 : 1;
    return 0;
}

static size_t place_of(states *s, const double *event)
{
    size_t at = 0;
    while (at < s->count && compare(s->value[at], event, s->elements) < 0)
        at++;
    if (at < s->count && compare(s->value[at], event, s->elements) == 0)
        return at;
    if (s->count == MOST_STATES)
        return MOST_STATES;
    memmove(&s->value[at + 1], &s->value[at], (s->count - at) * sizeof s->value[0]);
    memmove(&s->frequency[at + 1], &s->frequency[at], (s->count - at) * sizeof s->frequency[0]);
    memcpy(s->value[at], event, s->elements * sizeof *event);
    s->frequency[at] = 0;
    s->count++;
    return at;
}

static bool count_states(states *s, gb_dist d, const double *draws)
{
    double packed[MOST_STATES * MOST_EVENT];
    for (size_t i = 0; i < DRAWS; i++) {
        const size_t at = place_of(s, draws + i * s->elements);
        if (at == MOST_STATES)
            return false;
        s->frequency[at] += 1.0 / DRAWS;
    }
    for (size_t i = 0; i < s->count; i++)
        memcpy(packed + i * s->elements, s->value[i], s->elements * sizeof *packed);
    return picture_log_prob(d, s->count, packed, s->log_prob);
}

static void write_states(FILE *out, const states *s)
{
    fprintf(out, "$states << END\n");
    for (size_t i = 0; i < s->count; i++) {
        fprintf(out, "%zu \"", i);
        for (size_t k = 0; k < s->elements; k++)
            fprintf(out, "%s%g", k ? " " : "", s->value[i][k] + 0.); /* -0 is 0 */
        fprintf(out, "\" %.5g %.5g\n", s->frequency[i], exp(s->log_prob[i]));
    }
    fprintf(out, "END\nset yrange [0:]\nset xrange [-0.6:%g]\nset ylabel 'probability'\n%s",
            (double)s->count - 0.4,
            s->count * s->elements > MOST_BESIDE ? "set xtics rotate by 90 right\n" : "set bmargin 4.6\n");
    fprintf(out,
            "plot $states using 1:3:xtic(2) with boxes fs transparent solid 0.3 noborder lc rgb '%s' "
            "title 'frequency', "
            "$states using 1:4 with points pt 7 ps 0.6 lc rgb '%s' title 'probability'\n",
            picture_colour[0], picture_colour[0]);
}

bool picture_of_states(const char *folder, const gb_dist_type *type, const picture *p)
{
    gb_tape *const tape = gb_tape_new(.seed = 1);
    const gb_dist d = p->make(tape, 0);
    double *const draws = gb_dist_ok(d) ? picture_draws(d) : NULL;
    states s = {.elements = gb_shape_count(gb_dist_event_shape(d))};
    FILE *const out = draws && count_states(&s, d, draws) ? picture_open(folder, type, 560, 340) : NULL;
    if (out) {
        fprintf(
            out,
            "set boxwidth 0.7\nset label 9 '%s' at graph 0.5, 1.03 center font 'sans-serif,10' noenhanced\n",
            p->label[0]);
        write_states(out, &s);
    }
    const bool good = out && pclose(out) == 0;
    gb_complain(tape, stderr);
    free(draws);
    gb_tape_free(tape);
    return good;
}
