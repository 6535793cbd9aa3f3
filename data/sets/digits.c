/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Handwriting of a sort: each digit is a few strokes on a sheet of 7 × 9 points, whose points tremble; the
 * sheet is turned, sheared and moved, and a pen of some width draws them. Additions, products and quotients
 * alone decide what is black, so images are the same on all machines. */
#include <string.h>

#include "core/kernels/noise_impl.h"
#include "data/sets.h"

/* Points as column and row; a bar lifts the pen. */
static const char *const strokes[10] = {
    "20 40 62 66 48 28 06 02 20",
    "12 30 38|18 58",
    "02 20 40 62 63 08 68",
    "01 20 40 61 63 44 24|44 65 67 48 28 07",
    "48 40 05 65",
    "60 00 03 43 65 66 48 28 07",
    "50 20 03 06 28 48 66 65 43 23 05",
    "00 60 28",
    "20 40 61 63 44 24 03 01 20|24 05 07 28 48 67 65 44",
    "62 40 20 02 03 25 45 63 62 66 48 18",
};

enum { SIDE = GB_DIGIT_SIDE };

typedef struct point {
    double x, y;
} point;

typedef struct pen {
    uint32_t row, place; /* of the next random number */
    double thickness;    /* squared */
    double xx, xy, yx, yy, x, y;
} pen;

/* From `least` to `most`. */
static double uniform(pen *p, double least, double most)
{
    const uint32_t counter[4] = {p->row, p->place++, 0x64696769, 0};
    uint32_t bits[4];
    gb_philox(counter, 0x6772656265, bits);
    return least + (most - least) * (((double)bits[0] + 0.5) * 0x1p-32);
}

/* How the sheet lies, in pixels: each point of it is about 1.4 pixels wide. */
static pen pick_up(size_t row)
{
    pen p = {.row = (uint32_t)row};
    const double turned = uniform(&p, -0.15, 0.15), sheared = uniform(&p, -0.2, 0.2),
                 width = uniform(&p, 1.0, 1.45), height = uniform(&p, 1.05, 1.35),
                 thick = uniform(&p, 0.65, 1.0);
    p.thickness = thick * thick;
    p.xx = width;
    p.xy = height * (sheared - turned);
    p.yx = width * turned;
    p.yy = height;
    p.x = 0.5 * SIDE + uniform(&p, -0.8, 0.8);
    p.y = 0.5 * SIDE + uniform(&p, -0.8, 0.8);
    return p;
}

static point place(pen *p, const char *at)
{
    const double x = at[0] - '0' - 3 + uniform(p, -0.35, 0.35), y = at[1] - '0' - 4 + uniform(p, -0.35, 0.35);
    return (point){p->x + p->xx * x + p->xy * y, p->y + p->yx * x + p->yy * y};
}

/* The squared distance of a pixel's centre from a line between two points. */
static double distance(point c, point a, point b)
{
    const double x = b.x - a.x, y = b.y - a.y, squares = x * x + y * y;
    double along = squares > 0 ? ((c.x - a.x) * x + (c.y - a.y) * y) / squares : 0;
    along = along < 0 ? 0 : along > 1 ? 1 : along;
    const double off_x = c.x - a.x - along * x, off_y = c.y - a.y - along * y;
    return off_x * off_x + off_y * off_y;
}

static void draw_line(const pen *p, point a, point b, uint8_t *pixels)
{
    for (int i = 0; i < SIDE * SIDE; i++)
        if (distance((point){i % SIDE + 0.5, i / SIDE + 0.5}, a, b) < p->thickness)
            pixels[i] = 255;
}

static void draw(size_t row, uint8_t *pixels)
{
    pen p = pick_up(row);
    point before = {0, 0};
    memset(pixels, 0, SIDE * SIDE);
    for (const char *at = strokes[row % 10], *of = at; *at; at += at[2] ? 3 : 2) {
        const point here = place(&p, at);
        if (at > of && at[-1] != '|')
            draw_line(&p, before, here, pixels);
        before = here;
    }
}

void gb_digits_draw(size_t first, size_t count, uint8_t *pixels, uint8_t *labels)
{
    for (size_t i = 0; i < count; i++) {
        if (pixels)
            draw(first + i, pixels + i * SIDE * SIDE);
        if (labels)
            labels[i] = (uint8_t)((first + i) % 10);
    }
}
