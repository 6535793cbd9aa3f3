/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/training/progress_impl.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

void gb_fit_progress_begin(gb_fit_progress *p, FILE *file, uint64_t first, uint64_t steps)
{
    *p = (gb_fit_progress){.file = file, .first = first, .steps = steps};
    p->terminal = file && fileno(file) >= 0 && isatty(fileno(file));
}

bool gb_fit_progress_due(const gb_fit_progress *p, double seconds)
{
    return p->file && seconds - p->shown >= (p->terminal ? 0.1 : 1);
}

/* Writes a duration: "3.2 s", "5 min 20 s", "2 h 10 min". */
static void duration(double seconds, char *text, size_t bytes)
{
    const long whole = lround(seconds);
    if (seconds < 60)
        snprintf(text, bytes, "%.1f s", seconds);
    else if (whole < 3600)
        snprintf(text, bytes, "%ld min %ld s", whole / 60, whole % 60);
    else
        snprintf(text, bytes, "%ld h %ld min", whole / 3600, whole % 3600 / 60);
}

static void put(gb_fit_progress *p, const gb_fit_point *point, const char *end)
{
    char line[256], left[64] = "", error[32] = "n/a";
    const uint64_t done = point->step - p->first;
    if (!isnan(point->error))
        snprintf(error, sizeof error, "%.2g", point->error);
    int length = snprintf(line, sizeof line, "step %llu  ELBO %.6g ± %s", (unsigned long long)point->step,
                          point->elbo, error);
    if (!isnan(point->gradient_norm) && length < 128)
        length +=
            snprintf(line + length, sizeof line - (size_t)length, "  gradient %.3g", point->gradient_norm);
    if (end)
        snprintf(left, sizeof left, "%s", end);
    else if (p->steps && done > 0) {
        duration(point->seconds * (double)(p->steps - done) / (double)done, left, sizeof left - 6);
        strcat(left, " left");
    }
    length += snprintf(line + length, sizeof line - (size_t)length, "  %s", left);
    if (p->terminal)
        fprintf(p->file, "\r%-*s", p->width, line);
    else
        fprintf(p->file, "%s\n", line);
    p->width = length;
    p->shown = point->seconds;
    fflush(p->file);
}

void gb_fit_progress_show(gb_fit_progress *p, const gb_fit_point *point)
{
    if (p->file)
        put(p, point, NULL);
}

void gb_fit_progress_end(gb_fit_progress *p, const gb_fit_point *point, const char *why)
{
    if (!p->file)
        return;
    put(p, point, why);
    if (p->terminal)
        fputc('\n', p->file);
}
