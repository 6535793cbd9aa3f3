/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare/tables/chart_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/tables/cells_impl.h"
#include "core/ground/text_impl.h"

/* Tenths of a pixel, as whole numbers: no language writes them with a comma. */
enum {
    PANEL = 4800,
    LEFT = 820,
    RIGHT = 180,
    TOP = 560,
    HEIGHT = 3000,
    BELOW = 620,
    ROW = 230,
    LETTER = 66,
    FONT = 120,
    STYLES = 8,
    BARS = 26 /* more points than this have a band instead of bars */
};

static const char *const colours[STYLES] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                            "#E69F00", "#56B4E9", "#000000", "#7F7F7F"};
static const char *const dashes[STYLES] = {"none",   "90 50",        "25 40",  "120 40 25 40",
                                           "200 60", "60 30 60 120", "160 40", "25 25 90 25"};
/* Paths of marks about (0, 0). */
static const char *const marks[STYLES] = {"M-45 0a45 45 0 1 0 90 0a45 45 0 1 0 -90 0",
                                          "M-42 -42h84v84h-84z",
                                          "M0 -55L50 40H-50z",
                                          "M0 -58L58 0L0 58L-58 0z",
                                          "M0 55L50 -40H-50z",
                                          "M-45 -45L45 45M45 -45L-45 45",
                                          "M-55 0H55M0 -55V55",
                                          "M-50 -20H50V20H-50z"};

/* Decades: below there are ticks between powers of ten. */
static const double NARROW = 1.6;

/* ---- scales ---- */

typedef struct scale {
    double from, to;      /* of the axis: numbers, or their logarithms to base 10 */
    bool is_log, is_wide; /* of a logarithm: numbers are written as powers of ten */
    int begin, end;       /* tenths of a pixel */
} scale;

static double on_axis(const scale *s, double x)
{
    return s->is_log ? log10(x) : x;
}

static int place(const scale *s, double x)
{
    const double part = (on_axis(s, x) - s->from) / (s->to - s->from);
    return s->begin + (int)lround(fmin(fmax(part, -0.5), 1.5) * (s->end - s->begin));
}

static bool has_place(const scale *s, double x)
{
    return isfinite(x) && (!s->is_log || x > 0);
}

typedef struct range {
    double low, high;
} range;

static void include(range *r, double x)
{
    r->low = fmin(r->low, x);
    r->high = fmax(r->high, x);
}

static scale scale_of(range r, bool is_log, bool from_zero, int begin, int end)
{
    scale s = {.is_log = is_log, .begin = begin, .end = end};
    if (!(r.low <= r.high))
        r = (range){1, 10};
    s.from = is_log ? log10(r.low) : from_zero ? fmin(r.low, 0) : r.low;
    s.to = is_log ? log10(r.high) : r.high;
    if (!(s.to - s.from > 1e-9 * (1 + fabs(s.to)))) {
        s.from -= is_log || s.from == 0 ? 0.5 : fabs(s.from) / 2;
        s.to += is_log || s.to == 0 ? 0.5 : fabs(s.to) / 2;
    }
    return s;
}

static void widen(scale *s, bool stays_at_zero)
{
    const double room = (s->to - s->from) * 0.04;
    if (!stays_at_zero || s->from != 0)
        s->from -= room;
    s->to += room;
    s->is_wide = s->is_log && s->to - s->from > NARROW && (s->to > 4 || s->from < -4);
}

/* ---- ticks ---- */

/* On a wide axis powers of ten are written as such. */
static void put_number(FILE *file, double x, const scale *s)
{
    const double power = log10(x);
    if (!s->is_wide || fabs(power - round(power)) > 1e-9)
        fprintf(file, "%s%.6g", x < -1e-12 ? "\u2212" : "", fabs(x) < 1e-12 ? 0 : fabs(x));
    else
        fprintf(file, "10<tspan dy=\"-50\" font-size=\"90\">%s%d</tspan>", power < 0 ? "\u2212" : "",
                (int)fabs(round(power)));
}

typedef void put_tick(FILE *file, const scale *s, double x);

static void tick_below(FILE *file, const scale *s, double x)
{
    fprintf(file,
            "<path d=\"M%d %dv50\" stroke=\"#333\" stroke-width=\"9\"/><text x=\"%d\" y=\"%d\" "
            "text-anchor=\"middle\">",
            place(s, x), TOP + HEIGHT, place(s, x), TOP + HEIGHT + 190);
    put_number(file, x, s);
    fputs("</text>\n", file);
}

static void tick_left(FILE *file, const scale *s, double x)
{
    fprintf(file,
            "<path d=\"M%d %dh%d\" stroke=\"#ddd\" stroke-width=\"7\"/><text x=\"%d\" y=\"%d\" "
            "text-anchor=\"end\">",
            LEFT, place(s, x), PANEL - LEFT - RIGHT, LEFT - 60, place(s, x) + 42);
    put_number(file, x, s);
    fputs("</text>\n", file);
}

static void put_log_ticks(FILE *file, const scale *s, put_tick *put)
{
    const double decades = s->to - s->from;
    const int step = decades > 14 ? 4 : decades > 7 ? 2 : 1;
    static const double between[] = {1, 2, 5};
    for (int power = (int)floor(s->from) - 1; power <= (int)ceil(s->to); power++)
        for (size_t i = 0; i < (decades < NARROW ? 3 : 1); i++) {
            const double x = between[i] * pow(10, power);
            if (log10(x) >= s->from && log10(x) <= s->to && (decades < NARROW || power % step == 0))
                put(file, s, x);
        }
}

static void put_linear_ticks(FILE *file, const scale *s, put_tick *put)
{
    const double rough = (s->to - s->from) / 5, power = pow(10, floor(log10(rough))), lead = rough / power;
    const double step = power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
    for (double i = ceil(s->from / step); i * step <= s->to * (1 + 1e-12); i++)
        put(file, s, i * step);
}

static void put_ticks(FILE *file, const scale *s, put_tick *put)
{
    (s->is_log ? put_log_ticks : put_linear_ticks)(file, s, put);
}

/* ---- lines ---- */

static void put_band(FILE *file, const gb_chart_line *line, const scale *x, const scale *y,
                     const char *colour)
{
    const char *word = "M";
    fprintf(file, "<path fill=\"%s\" fill-opacity=\".18\" d=\"", colour);
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < line->points; i++) {
            const gb_chart_point *const p = &line->point[side ? line->points - 1 - i : i];
            const double at = side ? p->low : p->high;
            if (!has_place(x, p->x) || !has_place(y, p->y) || !has_place(y, p->high))
                continue;
            fprintf(file, "%s%d %d", word, place(x, p->x), place(y, has_place(y, at) ? at : p->y / 10));
            word = "L";
        }
    fputs("\"/>\n", file);
}

static void put_bars(FILE *file, const gb_chart_line *line, const scale *x, const scale *y,
                     const char *colour)
{
    fprintf(file, "<path stroke=\"%s\" stroke-width=\"12\" d=\"", colour);
    for (size_t i = 0; i < line->points; i++) {
        const gb_chart_point *const p = &line->point[i];
        if (has_place(x, p->x) && has_place(y, p->y) && has_place(y, p->high))
            fprintf(file, "M%d %dV%d", place(x, p->x), place(y, p->high),
                    has_place(y, p->low) ? place(y, p->low) : y->begin);
    }
    fputs("\"/>\n", file);
}

static void put_mark(FILE *file, size_t style, int x, int y)
{
    fprintf(file, "<path transform=\"translate(%d %d)\" d=\"%s\"/>", x, y, marks[style]);
}

static void put_line(FILE *file, const gb_chart_line *line, const scale *x, const scale *y, size_t style)
{
    bool is_down = false;
    if (line->points > BARS)
        put_band(file, line, x, y, colours[style]);
    else
        put_bars(file, line, x, y, colours[style]);
    fprintf(file, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"18\" stroke-dasharray=\"%s\" d=\"",
            colours[style], dashes[style]);
    for (size_t i = 0; i < line->points; i++) {
        const gb_chart_point *const p = &line->point[i];
        const bool is_there = has_place(x, p->x) && has_place(y, p->y);
        if (is_there)
            fprintf(file, "%s%d %d", is_down ? "L" : "M", place(x, p->x), place(y, p->y));
        is_down = is_there;
    }
    fprintf(file, "\"/>\n<g fill=\"%s\" stroke=\"%s\" stroke-width=\"14\">", colours[style], colours[style]);
    const size_t every = line->points > BARS ? line->points / 12 : 1;
    for (size_t i = 0; i < line->points; i += every) {
        const gb_chart_point *const p = &line->point[i];
        if (has_place(x, p->x) && has_place(y, p->y))
            put_mark(file, style, place(x, p->x), place(y, p->y));
    }
    fputs("</g>\n", file);
}

/* ---- panels ---- */

/* An interval that reaches far below its value would only stretch a logarithmic axis. */
static void find_ranges(const gb_chart *c, const gb_chart_panel *panel, range *x, range *y)
{
    *x = *y = (range){HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; i < c->names; i++)
        for (size_t k = 0; k < panel->line[i].points; k++) {
            const gb_chart_point *const p = &panel->line[i].point[k];
            if (!isfinite(p->y) || !isfinite(p->x) || (panel->log_x && p->x <= 0) ||
                (panel->log_y && p->y <= 0))
                continue;
            include(x, p->x);
            include(y, p->y);
            if (isfinite(p->low))
                include(y, panel->log_y ? fmax(p->low, p->y / 4) : p->low);
            if (isfinite(p->high))
                include(y, panel->log_y ? fmin(p->high, p->y * 4) : p->high);
        }
}

static void put_panel(FILE *file, const gb_chart *c, size_t which)
{
    const gb_chart_panel *const panel = &c->panel[which];
    range of_x, of_y;
    find_ranges(c, panel, &of_x, &of_y);
    if (panel->from < panel->to)
        of_y = (range){panel->from, panel->to};
    scale x = scale_of(of_x, panel->log_x, false, LEFT, PANEL - RIGHT),
          y = scale_of(of_y, panel->log_y, panel->from_zero, TOP + HEIGHT, TOP);
    widen(&x, false);
    widen(&y, panel->from_zero);
    fprintf(file, "<g transform=\"translate(%d 0)\">\n", (int)which * PANEL);
    put_ticks(file, &y, tick_left);
    put_ticks(file, &x, tick_below);
    fprintf(file,
            "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"#333\" stroke-width=\"12\"/>\n"
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">",
            LEFT, TOP, TOP + HEIGHT, PANEL - RIGHT, (LEFT + PANEL - RIGHT) / 2, TOP + HEIGHT + 400);
    gb_xml_text(file, panel->x);
    fprintf(file, "</text><text transform=\"translate(170 %d) rotate(-90)\" text-anchor=\"middle\">",
            TOP + HEIGHT / 2);
    gb_xml_text(file, panel->y);
    fprintf(file,
            "</text>\n<clipPath id=\"p%zu\"><path d=\"M%d %dH%dV%dH%dz\"/></clipPath>"
            "<g clip-path=\"url(#p%zu)\">\n",
            which, LEFT, TOP - 80, PANEL - RIGHT + 80, TOP + HEIGHT + 80, LEFT, which);
    for (size_t i = c->names; i-- > 0;)
        put_line(file, &panel->line[i], &x, &y, i % STYLES);
    fputs("</g></g>\n", file);
}

/* ---- the whole ---- */

/* Entries fill rows from the left. Without a file only the rows are counted. */
static int put_legend(FILE *file, const gb_chart *c, int width, int top)
{
    int x = LEFT, rows = c->names > 0;
    for (size_t i = 0; i < c->names; i++) {
        const int wide = 620 + LETTER * gb_cell_width(c->name[i]);
        if (x > LEFT && x + wide > width - RIGHT) {
            x = LEFT;
            rows++;
        }
        const int y = top + (rows - 1) * ROW;
        const size_t style = i % STYLES;
        if (file) {
            fprintf(file,
                    "<path d=\"M%d %dh400\" stroke=\"%s\" stroke-width=\"18\" stroke-dasharray=\"%s\"/><g "
                    "fill=\"%s\" stroke=\"%s\" stroke-width=\"14\">",
                    x, y - 42, colours[style], dashes[style], colours[style], colours[style]);
            put_mark(file, style, x + 200, y - 42);
            fprintf(file, "</g><text x=\"%d\" y=\"%d\">", x + 460, y);
            gb_xml_text(file, c->name[i]);
            fputs("</text>\n", file);
        }
        x += wide;
    }
    return rows;
}

static gb_status put_chart(FILE *file, const gb_chart *c)
{
    const int width = (int)c->panels * PANEL, top = TOP + HEIGHT + BELOW + 60, notes = *c->note ? ROW : 0,
              height = top + put_legend(NULL, c, width, top) * ROW + notes;
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"%d\" fill=\"#000\">\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n"
            "<text x=\"%d\" y=\"250\" text-anchor=\"middle\" font-size=\"140\">",
            width / 10, height / 10, width, height, FONT, width, height, width / 2);
    gb_xml_text(file, c->title);
    fputs("</text>\n", file);
    for (size_t i = 0; i < c->panels; i++)
        put_panel(file, c, i);
    put_legend(file, c, width, top);
    if (*c->note) {
        fprintf(file, "<text x=\"%d\" y=\"%d\" fill=\"#555\">", LEFT, height - ROW / 2);
        gb_xml_text(file, c->note);
        fputs("</text>\n", file);
    }
    fputs("</svg>\n", file);
    return gb_flushed(file) ? GB_OK : GB_ESYSTEM;
}

/* ---- where lines come from ---- */

enum { MOST_PANELS = 4 };

static gb_status put_lines(FILE *file, gb_chart c, const gb_chart_source *source, gb_chart_line *line,
                           gb_chart_point *point, const char **name)
{
    gb_chart_panel panel[MOST_PANELS];
    for (size_t i = 0; i < source->lines; i++) {
        const char *const own = source->name(source->of, i);
        if (!own)
            continue;
        for (size_t k = 0; k < c.panels; k++) {
            const size_t place = k * source->lines + c.names;
            gb_chart_point *const to = point + place * source->points;
            for (size_t p = 0; p < source->points; p++)
                to[p] = source->point(source->of, k, i, p);
            line[place] = (gb_chart_line){.points = source->points, .point = to};
        }
        name[c.names++] = own;
    }
    for (size_t k = 0; k < c.panels; k++) {
        panel[k] = c.panel[k];
        panel[k].line = line + k * source->lines;
    }
    c.panel = panel;
    c.name = name;
    return put_chart(file, &c);
}

gb_status gb_chart_svg(gb_chart chart, const gb_chart_source *source, FILE *file)
{
    const size_t lines = chart.panels * source->lines;
    gb_chart_line *const line = calloc(lines + 1, sizeof *line);
    gb_chart_point *const point = calloc(lines * source->points + 1, sizeof *point);
    const char **const name = calloc(source->lines + 1, sizeof *name);
    gb_status status = GB_ENOMEM;
    if (line && point && name && chart.panels <= MOST_PANELS)
        status = put_lines(file, chart, source, line, point, name);
    free(line);
    free(point);
    free(name);
    return status;
}
