/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "posteriordb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *text_of(const char *folder, const char *name)
{
    enum { MOST = 1 << 20 };
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *const file = fopen(path, "rb");
    if (!file)
        return NULL;
    char *text = calloc(MOST + 1, 1);
    if (text && fread(text, 1, MOST, file) == MOST) {
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

bool gb_bench_posterior_is_there(const char *folder)
{
    char *const text = text_of(folder, "data.json");
    free(text);
    return text != NULL;
}

size_t gb_bench_posterior_data(const char *folder, const char *name, size_t most, double *x)
{
    char key[64];
    char *const text = text_of(folder, "data.json");
    size_t count = 0;
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *at = text ? strstr(text, key) : NULL;
    for (at = at ? at + strlen(key) : ""; *at && *at != '"' && *at != '}';) {
        char *end;
        const double number = strtod(at, &end);
        if (end == at) {
            at++;
            continue;
        }
        if (count == most) {
            count = 0;
            break;
        }
        x[count++] = number;
        at = end;
    }
    free(text);
    return count;
}

size_t gb_bench_posterior_references(const char *folder, size_t most, gb_bench_reference *reference)
{
    char *const text = text_of(folder, "reference.csv");
    size_t count = 0;
    for (const char *line = text ? strchr(text, '\n') : NULL; line && line[1] && count < most;
         line = strchr(line + 1, '\n')) {
        gb_bench_reference *const n = &reference[count++];
        if (sscanf(line + 1, "%63[^,],%lf,%lf,%lf,%lf,%lf,%lf", n->name, &n->mean, &n->sd, &n->q05, &n->q50,
                   &n->q95, &n->ess) != 7) {
            fprintf(stderr, "%s: a line of reference.csv has no numbers\n", folder);
            count = 0;
            break;
        }
    }
    free(text);
    return count;
}
