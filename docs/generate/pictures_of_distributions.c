/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws distributions by gnuplot: pictures_of_distributions FOLDER writes FOLDER/NAME.svg. This file draws
 * those of numbers: the density over a histogram of draws, or probabilities beside frequencies. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/program.h"
#include "distributions/list.h"
#include "docs/generate/pictures_impl.h"
#include "docs/generate/pictures_of_distributions_table.h"
#include "kit/distributions/grid_impl.h"

enum { BINS = 60, POINTS = 361, MOST_VALUES = 60, FEW_VALUES = 6 };

typedef struct numbers {
    const char *name;
    double value[GB_MAX_PARAMS];
} numbers;

#define SETTING(name, ...) {#name, {__VA_ARGS__}},
static const numbers settings[] = {PICTURE_LIST(SETTING)};

typedef struct range {
    double low, high;
} range;

/* The picture of one setting. */
typedef struct law {
    char label[128];
    double draw[DRAWS]; /* sorted */
    double x[POINTS + 1], density[POINTS + 1];
    size_t points;
    range within;  /* the visible part of the support: bins begin and end there */
    bool has_atom; /* one value has a probability, among densities: the last of the points */
} law;

const char *const picture_colour[MOST_SETTINGS] = {"#0072B2", "#D55E00", "#009E73"};

/* ---- from the library ---- */

static gb_dist instance(gb_tape *tape, const gb_dist_type *type, const numbers *s)
{
    if (!s)
        return gb_dist_at_grid(tape, type, (gb_case_number){0}, "", false);
    gb_dist d = {.type = type, .tape = tape};
    size_t count;
    gb_dist_params(&d, &count);
    for (size_t i = 0; i < count; i++)
        d.param[i] = gb_num(tape, s->value[i]);
    return gb_dist_checked(d);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void label(law *l, const gb_dist *d)
{
    size_t count, used = 0;
    const gb_option *const params = gb_dist_params(d, &count);
    for (size_t i = 0; i < count && used < sizeof l->label; i++)
        used += (size_t)snprintf(l->label + used, sizeof l->label - used, "%s%s %.3g", i ? ", " : "",
                                 params[i].name, gb_value(d->param[i]));
}

double *picture_draws(gb_dist d)
{
    const size_t count = DRAWS * gb_shape_count(gb_dist_shape(d));
    double *const draws = malloc(count * sizeof *draws);
    const gb_node x = gb_sample(d, gb_stream(d.tape, "draws"), GB_SAMPLES);
    gb_program *const program = gb_compile(d.tape, gb_roots(x), gb_no_update);
    if (draws && gb_program_set_samples(program, DRAWS) == GB_OK && gb_run(program) == GB_OK &&
        gb_read(x, draws, count) == GB_OK)
        return draws;
    free(draws);
    return NULL;
}

bool picture_log_prob(gb_dist d, size_t count, const double *events, double *log_prob)
{
    gb_shape shape = gb_dist_event_shape(d);
    const size_t elements = gb_shape_count(shape);
    memmove(shape.size + 1, shape.size, (size_t)shape.rank * sizeof *shape.size);
    shape.size[0] = (int64_t)count;
    shape.rank++;
    const gb_node x = gb_constant(d.tape, shape, gb_values_of(events, count * elements));
    const gb_node each = gb_log_prob(d, x);
    gb_program *const program = gb_compile(d.tape, gb_roots(each), gb_no_update);
    return gb_run(program) == GB_OK && gb_read(each, log_prob, count) == GB_OK;
}

static bool draw(law *l, gb_dist d, const picture *p, size_t setting)
{
    const size_t elements = gb_shape_count(gb_dist_shape(d));
    double *const draws = picture_draws(d);
    if (p)
        snprintf(l->label, sizeof l->label, "%s", p->label[setting]);
    else
        label(l, &d);
    for (size_t i = 0; draws && i < DRAWS; i++)
        if (p && p->shown)
            p->shown(draws + i * elements, &l->draw[i]);
        else
            l->draw[i] = draws[i];
    free(draws);
    qsort(l->draw, DRAWS, sizeof *l->draw, compare);
    return draws != NULL;
}

/* The density is 0 where there is no such event. */
static bool evaluate(law *l, gb_dist d, const picture *p)
{
    static double events[(POINTS + 1) * MOST_EVENT], log_prob[POINTS + 1];
    const size_t elements = gb_shape_count(gb_dist_event_shape(d));
    bool there[POINTS + 1];
    size_t count = 0;
    for (size_t i = 0; i < l->points; i++) {
        double *const event = events + count * elements;
        event[0] = l->x[i];
        there[i] = !p || !p->event || p->event(&l->x[i], event);
        count += there[i];
    }
    if (!picture_log_prob(d, count, events, log_prob))
        return false;
    for (size_t i = 0, at = 0; i < l->points; i++)
        l->density[i] = there[i] ? exp(log_prob[at++]) : 0;
    return true;
}

/* ---- the visible range ---- */

static double quantile(const law *l, double u)
{
    return l->draw[(size_t)(u * (DRAWS - 1))];
}

/* Shows nearly all draws, but for heavy tails at most some widths of the middle. */
static range shown(const law *l, size_t count, const gb_dist_type *type)
{
    range r = {INFINITY, -INFINITY};
    for (size_t i = 0; i < count; i++) {
        const double middle = quantile(&l[i], 0.5),
                     width = fmax(middle - quantile(&l[i], 0.16), quantile(&l[i], 0.84) - middle);
        r.low = fmin(r.low, fmax(quantile(&l[i], 0.001), middle - 5 * width));
        r.high = fmax(r.high, fmin(quantile(&l[i], 0.999), middle + 5 * width));
    }
    const double margin = r.high > r.low ? 0.04 * (r.high - r.low) : 1;
    const bool of_numbers = !type->wraps && !type->discrete && type->support->event_rank == 0;
    const double low = of_numbers ? type->support->low : -INFINITY,
                 high = of_numbers ? type->support->high : INFINITY;
    return (range){fmax(r.low - margin, low), fmin(r.high + margin, high)};
}

/* Ends that depend on parameters are those of the setting. */
static range ends_within(gb_dist d, range r)
{
    if (!GB_HAS(d.type, ends))
        return r;
    const gb_ends ends = d.type->ends(&d);
    return (range){fmax(r.low, gb_value(ends.low)), fmin(r.high, gb_value(ends.high))};
}

/* Places the points at the values that were drawn. */
static void place_values(law *l)
{
    l->points = 0;
    l->within = (range){-INFINITY, INFINITY};
    l->has_atom = false;
    for (size_t i = 0; i < DRAWS && l->points < MOST_VALUES; i++)
        if (i == 0 || l->draw[i] != l->draw[i - 1])
            l->x[l->points++] = l->draw[i];
}

static size_t drawn_below(const law *l, double x)
{
    size_t low = 0, high = DRAWS;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (l->draw[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static double share(const law *l, double from, double to)
{
    return (double)(drawn_below(l, to) - drawn_below(l, from)) / DRAWS;
}

static double frequency(const law *l, double x)
{
    return share(l, x, nextafter(x, INFINITY));
}

/* Returns a number that occurs in more than a hundredth of the draws; NaN if there is none. */
static double find_atom(const law *l)
{
    const size_t step = DRAWS / 100;
    for (size_t i = 0; i + step < DRAWS; i += step / 2)
        if (l->draw[i] == l->draw[i + step])
            return l->draw[i];
    return NAN;
}

static void place_grid(law *l, range r)
{
    l->within = r;
    const double atom = find_atom(l);
    l->points = POINTS;
    for (size_t i = 0; i < POINTS; i++)
        l->x[i] = r.low + (r.high - r.low) * ((double)i + 0.5) / POINTS;
    l->has_atom = !isnan(atom);
    if (l->has_atom)
        l->x[l->points++] = atom;
}

/* ---- for gnuplot ---- */

/* Bins are about a sixtieth of the visible range, and fit into it, so that none crosses an end. */
static double write_histogram(FILE *out, const law *l, size_t number, range r)
{
    const range own = l->within;
    const double bins = ceil(BINS * (own.high - own.low) / (r.high - r.low)),
                 width = (own.high - own.low) / bins;
    double highest = 0;
    fprintf(out, "$bars%zu << END\n", number);
    for (int i = 0; i < bins; i++) {
        const double from = own.low + i * width, all = share(l, from, from + width);
        const bool atom_here = l->has_atom && l->x[POINTS] >= from && l->x[POINTS] < from + width;
        const double height = (all - (atom_here ? frequency(l, l->x[POINTS]) : 0)) / width;
        fprintf(out, "%.5g %.4g\n", from, height);
        highest = fmax(highest, height);
    }
    fprintf(out, "%.5g 0\nEND\n", own.high);
    return highest;
}

static double write_frequencies(FILE *out, const law *l, size_t number)
{
    double highest = 0;
    fprintf(out, "$bars%zu << END\n", number);
    for (size_t i = 0; i < l->points; i++) {
        const double height = frequency(l, l->x[i]);
        fprintf(out, "%.5g %.4g\n", l->x[i], height);
        highest = fmax(highest, height);
    }
    fprintf(out, "END\n");
    return highest;
}

/* The line falls to 0 at a visible end. */
static void write_density(FILE *out, const law *l, size_t number, range r, double top)
{
    fprintf(out, "$density%zu << END\n", number);
    if (l->within.low > r.low)
        fprintf(out, "%.5g 0\n", l->within.low);
    for (size_t i = 0; i < l->points - l->has_atom; i++)
        fprintf(out, "%.5g %.4g\n", l->x[i], fmin(l->density[i], 2 * top));
    if (l->within.high < r.high)
        fprintf(out, "%.5g 0\n", l->within.high);
    fprintf(out, "END\n");
}

/* The frequency is a line, the probability a point. */
static void write_atom(FILE *out, const law *l, size_t number)
{
    const double atom = l->x[POINTS];
    fprintf(out, "$atom%zu << END\n%.5g %.4g %.4g\nEND\n", number, atom, frequency(l, atom),
            l->density[POINTS]);
}

/* Bars of several settings stand side by side. */
static double offset(size_t i, size_t count, bool discrete)
{
    return discrete ? 0.8 / (double)count * ((double)i - ((double)count - 1) / 2) : 0;
}

/* A few values get a tic each. */
static void write_tics(FILE *out, const law *l, size_t count)
{
    if (l->points > FEW_VALUES)
        return;
    fprintf(out, "set xtics ()\n");
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < l[i].points; k++)
            fprintf(out, "set xtics add ('%g' %g)\n", l[i].x[k], l[i].x[k]);
}

static void write_plot(FILE *out, const law *l, size_t count, bool discrete)
{
    fprintf(out, "plot ");
    for (size_t i = 0; i < count; i++)
        fprintf(out,
                "$bars%zu using ($1 + %g):2 with %s fs transparent solid 0.3 noborder lc rgb '%s' notitle, ",
                i, offset(i, count, discrete), discrete ? "boxes" : "fillsteps", picture_colour[i]);
    for (size_t i = 0; i < count; i++)
        if (l[i].has_atom)
            fprintf(
                out,
                "$atom%zu using 1:2 with impulses lw 3 lc rgb '%s' title 'frequency of %g', $atom%zu using "
                "1:3 with points pt 7 lc rgb '%s' title 'probability of %g', ",
                i, picture_colour[i], l[i].x[POINTS] + 0., i, picture_colour[i], l[i].x[POINTS] + 0.);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "$density%zu using ($1 + %g):2 with %s lc rgb '%s' title '%s'%s", i,
                offset(i, count, discrete), discrete ? "points pt 7 ps 0.6" : "lines lw 2", picture_colour[i],
                l[i].label, i + 1 < count ? ", " : "\n");
}

FILE *picture_open(const char *folder, const gb_dist_type *type, int width, int height)
{
    FILE *const out = popen("gnuplot", "w");
    if (out)
        fprintf(out,
                "set terminal svg size %d,%d font 'sans-serif,12' background '#ffffff'\n"
                "set output '%s/%s.svg'\nset title '%s' noenhanced offset 0,0.6\n"
                "set key noenhanced bmargin center "
                "vertical maxcols 1 Left reverse samplen 2\nset border 3\nset tics nomirror out scale 0.5\n",
                width, height, folder, type->name, type->name);
    return out;
}

static bool plot(const char *folder, const gb_dist_type *type, bool discrete, const law *l, size_t count)
{
    FILE *const out = picture_open(folder, type, 560, 340);
    if (!out)
        return false;
    range r = shown(l, count, type);
    if (discrete)
        r = (range){r.low - 0.5, r.high + 0.5};
    double top = 0;
    size_t keys = count;
    for (size_t i = 0; i < count; i++)
        keys += l[i].has_atom ? 2 : 0;
    fprintf(out,
            "set title offset 0,-0.5\nset tmargin 2\nset bmargin %g\nset xlabel 'x' offset 0,0.7\n"
            "set ylabel '%s'\n",
            (double)keys + 3.1, discrete ? "probability" : "density");
    fprintf(out, "set boxwidth %g\n", 0.72 / (double)count);
    if (discrete)
        write_tics(out, l, count);
    for (size_t i = 0; i < count; i++)
        top = fmax(top, discrete ? write_frequencies(out, &l[i], i) : write_histogram(out, &l[i], i, r));
    for (size_t i = 0; i < count; i++)
        write_density(out, &l[i], i, r, top);
    for (size_t i = 0; i < count; i++)
        if (l[i].has_atom) {
            write_atom(out, &l[i], i);
            top = fmax(top, frequency(&l[i], l[i].x[POINTS]));
        }
    fprintf(out, "set xrange [%g:%g]\nset yrange [0:%g]\n", r.low, r.high, 1.15 * top);
    write_plot(out, l, count, discrete);
    return pclose(out) == 0;
}

/* ---- one picture ---- */

static size_t settings_of(const gb_dist_type *type, const numbers *found[MOST_SETTINGS])
{
    size_t count = 0;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (count < MOST_SETTINGS && strcmp(settings[i].name, type->name) == 0)
            found[count++] = &settings[i];
    if (count > 0)
        return count;
    found[0] = NULL;
    return 1;
}

static bool made_of_numbers(const char *folder, const gb_dist_type *type, const picture *p)
{
    static law l[MOST_SETTINGS];
    const numbers *found[MOST_SETTINGS];
    gb_tape *tape[MOST_SETTINGS];
    gb_dist d[MOST_SETTINGS];
    size_t count = 0;
    bool good = true, discrete = false;
    if (!p)
        count = settings_of(type, found);
    while (p && count < MOST_SETTINGS && p->label[count])
        count++;
    for (size_t i = 0; i < count; i++) {
        tape[i] = gb_tape_new(.seed = i + 1);
        d[i] = p ? p->make(tape[i], i) : instance(tape[i], type, found[i]);
        discrete = gb_dist_discrete(d[i]);
        good = gb_dist_ok(d[i]) && draw(&l[i], d[i], p, i) && good;
    }
    for (size_t i = 0; good && i < count; i++) {
        if (discrete)
            place_values(&l[i]);
        else
            place_grid(&l[i], ends_within(d[i], shown(l, count, type)));
        good = evaluate(&l[i], d[i], p);
    }
    good = good && plot(folder, type, discrete, l, count);
    for (size_t i = 0; i < count; i++) {
        gb_complain(tape[i], stderr);
        gb_tape_free(tape[i]);
    }
    return good;
}

static bool make(const char *folder, const gb_dist_type *type)
{
    const picture *const p = picture_of(type->name);
    if (p && p->kind == PAIRS)
        return picture_of_pairs(folder, type, p);
    if (p && p->kind == STATES)
        return picture_of_states(folder, type, p);
    return made_of_numbers(folder, type, p);
}

int main(int argc, char **argv)
{
    size_t count;
    bool good = true;
    const gb_dist_type *const *const types = gb_dists(&count);
    if (argc != 2) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    if (system("command -v gnuplot >/dev/null") != 0) {
        puts("no pictures: there is no gnuplot here; docs/generate/pictures.sh installs it");
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        if (make(argv[1], types[i]))
            continue;
        fprintf(stderr, "%s: no picture\n", types[i]->name);
        good = false;
    }
    return good ? 0 : 1;
}
