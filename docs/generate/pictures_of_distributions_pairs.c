/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions in a plane: some draws, and contours of the density that enclose given shares of all
 * draws. */
#include <math.h>
#include <stdlib.h>

#include "docs/generate/pictures_impl.h"

enum { DOTS = 300, SIDE = 81, ELEMENTS = 8 };

static int64_t elements_of(gb_dist d)
{
    return (int64_t)gb_shape_count(gb_dist_event_shape(d));
}

static void point_of(const picture *p, const double *event, double *point)
{
    if (p->shown) {
        p->shown(event, point);
        return;
    }
    point[0] = event[0];
    point[1] = event[1];
}

typedef struct frame {
    double low[2], high[2];
} frame;

/* Returns the event at a point of the unit square. */
static void event_at(const picture *p, frame f, const double *at, double *event)
{
    if (p->event) {
        p->event(at, event);
        return;
    }
    for (int axis = 0; axis < 2; axis++)
        event[axis] = f.low[axis] + (f.high[axis] - f.low[axis]) * at[axis];
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns the unit triangle, or a frame of nearly all draws. */
static frame frame_of(const picture *p, const double *draws, int64_t elements)
{
    static double along[DRAWS];
    frame f = {{-0.06, -0.06}, {1.06, 0.95}};
    for (int axis = 0; axis < 2 && !p->shown; axis++) {
        for (size_t i = 0; i < DRAWS; i++)
            along[i] = draws[i * (size_t)elements + (size_t)axis];
        qsort(along, DRAWS, sizeof *along, compare);
        const double low = along[DRAWS / 1000], high = along[DRAWS - 1 - DRAWS / 1000];
        f.low[axis] = low - 0.1 * (high - low);
        f.high[axis] = high + 0.1 * (high - low);
    }
    return f;
}

static void write_dots(FILE *out, const picture *p, const double *draws, int64_t elements)
{
    fprintf(out, "$dots << END\n");
    for (int i = 0; i < DOTS; i++) {
        double point[2];
        point_of(p, draws + i * elements, point);
        fprintf(out, "%.4g %.4g\n", point[0], point[1]);
    }
    fprintf(out, "END\n");
}

/* Finds the log densities above which 50, 90 and 99 % of the draws lie. */
static bool levels_of(gb_dist d, const double *draws, double levels[3])
{
    static double log_prob[DRAWS];
    static const double outside[3] = {0.5, 0.1, 0.01};
    if (!picture_log_prob(d, DRAWS, draws, log_prob))
        return false;
    qsort(log_prob, DRAWS, sizeof *log_prob, compare);
    for (int i = 0; i < 3; i++)
        levels[i] = log_prob[(size_t)(outside[i] * DRAWS)];
    return true;
}

/* Writes the grid; an empty line separates its rows. */
static bool write_grid(FILE *out, gb_dist d, const picture *p, frame f)
{
    static double events[SIDE * SIDE * ELEMENTS], log_prob[SIDE * SIDE];
    const int64_t elements = elements_of(d);
    for (int i = 0; i < SIDE * SIDE; i++) {
        const double at[2] = {(double)(i % SIDE) / (SIDE - 1), (double)(i / SIDE) / (SIDE - 1)};
        event_at(p, f, at, events + i * elements);
    }
    if (!picture_log_prob(d, (size_t)SIDE * SIDE, events, log_prob))
        return false;
    fprintf(out, "$grid << END\n");
    for (int i = 0; i < SIDE * SIDE; i++) {
        double point[2];
        point_of(p, events + i * elements, point);
        fprintf(out, i % SIDE == SIDE - 1 ? "%.5g %.5g %.5g\n\n" : "%.5g %.5g %.5g\n", point[0], point[1],
                log_prob[i]);
    }
    fprintf(out, "END\n");
    return true;
}

static void write_plot(FILE *out, const picture *p, frame f, const double levels[3])
{
    fprintf(out,
            "set contour base\nunset surface\nset cntrparam levels discrete %g, %g, %g\nset table $lines\n"
            "splot $grid\nunset table\nunset contour\nset surface\n",
            levels[0], levels[1], levels[2]);
    fprintf(out, "set xrange [%g:%g]\nset yrange [%g:%g]\nset size ratio -1\n", f.low[0], f.high[0], f.low[1],
            f.high[1]);
    if (p->shown)
        fprintf(
            out,
            "unset border\nunset tics\nset label 1 '1' at -0.03,-0.03 center\nset label 2 '2' at 1.03,-0.03 "
            "center\nset label 3 '3' at 0.5,0.91 center\n$edge << END\n0 0\n1 0\n0.5 0.8660254\n0 0\nEND\n");
    else
        fprintf(out, "set xlabel 'first'\nset ylabel 'second'\n");
    fprintf(out,
            "plot %s$dots with points pt 7 ps 0.25 lc rgb '%s' title '%d draws', "
            "$lines using 1:2 with lines lw 1.6 lc "
            "rgb '%s' title 'density: 50, 90 and 99 %% lie within'\n",
            p->shown ? "$edge with lines lc rgb '#888888' notitle, " : "", picture_colour[0], DOTS,
            picture_colour[1]);
}

bool picture_of_pairs(const char *folder, const gb_dist_type *type, const picture *p)
{
    gb_tape *const tape = gb_tape_new(.seed = 1);
    const gb_dist d = p->make(tape, 0);
    double *const draws = gb_dist_ok(d) ? picture_draws(d) : NULL, levels[3];
    FILE *const out = draws && levels_of(d, draws, levels) ? picture_open(folder, type, 520, 460) : NULL;
    bool good = out != NULL;
    if (out) {
        const frame f = frame_of(p, draws, elements_of(d));
        fprintf(out, "set label 9 '%s' at graph 0.5, 1.03 center font 'sans-serif,10' noenhanced\n",
                p->label[0]);
        write_dots(out, p, draws, elements_of(d));
        good = write_grid(out, d, p, f);
        write_plot(out, p, f, levels);
        good = pclose(out) == 0 && good;
    }
    gb_complain(tape, stderr);
    free(draws);
    gb_tape_free(tape);
    return good;
}
