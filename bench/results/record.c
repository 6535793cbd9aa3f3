/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records: text files to which a line is appended for each run that has ended. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "results.h"

bool results_wants(const results *r, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = r->only; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (!strncmp(at, name, length) && (at[length] == ',' || !at[length]))
            return *r->found = true;
    return !r->only;
}

bool results_data(const results *r, const char *name, char path[RESULTS_PATH])
{
    snprintf(path, RESULTS_PATH, "%s/%s", r->data, name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        snprintf(path, RESULTS_PATH, "%s/%s.gz", r->data, name);
        file = fopen(path, "rb");
    }
    if (!file) {
        fprintf(stderr, "%s is not in %s: skipped\n", name, r->data);
        return false;
    }
    fclose(file);
    return true;
}

bool results_end(gb_tape *tape, const char *what)
{
    const bool good = gb_error(tape) == GB_OK;
    if (!good) {
        fprintf(stderr, "%s: ", what);
        gb_complain(tape, stderr);
    }
    gb_tape_free(tape);
    return good;
}

/* ---- costs ---- */

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Linux: proc(5). Elsewhere the memory is the most that the process has had. */
double results_begin(void)
{
    FILE *const file = fopen("/proc/self/clear_refs", "w");
    if (file) {
        fputc('5', file);
        fclose(file);
    }
    return seconds();
}

/* ---- files ---- */

static const char *columns_of(const char *experiment)
{
    const results_experiment *e = results_experiments;
    while (strcmp(e->name, experiment) != 0)
        e++;
    return e->columns;
}

static FILE *open_record(const results *r, const char *experiment, const char *mode)
{
    char path[RESULTS_PATH];
    snprintf(path, sizeof path, "%s/%s.tsv", r->folder, experiment);
    return fopen(path, mode);
}

static size_t tabs(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += *text == '\t';
    return count;
}

/* Returns the line of a run, which the caller frees; NULL if there is none. A later line replaces an earlier
 * one. */
static char *line_of(const results *r, const char *experiment, const char *key)
{
    char *line = NULL, *found = NULL;
    size_t room = 0;
    const size_t fields = tabs(columns_of(experiment)) + 3; /* seconds, MB and build follow */
    FILE *const file = open_record(r, experiment, "r");
    while (file && getline(&line, &room, file) > 0)
        if (!strncmp(line, key, strlen(key)) && tabs(line) == fields && strchr(line, '\n')) {
            free(found);
            found = strdup(line);
        }
    free(line);
    if (file)
        fclose(file);
    return found;
}

bool results_has(const results *r, const char *experiment, const char *key)
{
    char *const line = line_of(r, experiment, key);
    free(line);
    return line != NULL;
}

bool results_find(const results *r, const char *experiment, const char *key, size_t count, double *numbers)
{
    char *const line = line_of(r, experiment, key);
    if (!line)
        return false;
    char *at = line + strlen(key);
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        char *end;
        numbers[i] = strtod(at, &end);
        good = end != at && *end == '\t';
        at = end + 1;
    }
    free(line);
    return good;
}

/* Begins a new record with its heads, and ends a line that was cut off. */
static FILE *open_to_add(const results *r, const char *experiment)
{
    FILE *const file = open_record(r, experiment, "a+");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        return file;
    if (ftell(file) == 0) {
        fprintf(file, "%s\tseconds\tMB\tbuild\n", columns_of(experiment));
    } else {
        fseek(file, -1, SEEK_END);
        const int last = fgetc(file);
        fseek(file, 0, SEEK_END);
        if (last != '\n')
            fputc('\n', file);
    }
    return file;
}

bool results_add(const results *r, const char *experiment, const char *key, size_t count,
                 const double *numbers, double began)
{
    struct rusage usage = {0};
    getrusage(RUSAGE_SELF, &usage);
    FILE *const file = open_to_add(r, experiment);
    bool good = file != NULL;
    if (file) {
        fputs(key, file);
        for (size_t i = 0; i < count; i++)
            fprintf(file, "%.9g\t", numbers[i]);
        fprintf(file, "%.4g\t%.0f\t%s\n", seconds() - began, (double)usage.ru_maxrss / 1024, r->build);
        good = !ferror(file);
        good = fclose(file) == 0 && good;
    }
    if (!good)
        fprintf(stderr, "%s/%s.tsv: %s\n", r->folder, experiment, strerror(errno));
    return good;
}
