/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a file of results: they are read, or rejected in words, with memory in proportion to them.
 * What is read, and is small, is made again and compared with what was read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/stored.h"
#include "fuzz.h"

static void need(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_stored: %s\n", what);
    abort();
}

/* ---- memory that is counted ---- */

static size_t most; /* bytes asked for, all together */

static void *resize(void *user, void *old, size_t bytes)
{
    (void)user;
    most += bytes;
    return realloc(old, bytes);
}

static void release(void *user, void *old)
{
    (void)user;
    free(old);
}

/* ---- what was read ---- */

static bool is_small(const gb_stored *s)
{
    const gb_compare_options *const o = &s->with;
    return o->draws <= 40 && o->samples <= 4 && o->steps <= 10 && o->estimators <= 2 && s->points <= 2 &&
           s->comparison->data.rows == 0 && !o->bound.type;
}

/* Frees the comparison, or the sweep. */
static void compare(const gb_stored *s, gb_comparison *c, gb_sweep *w)
{
    char *text = NULL;
    size_t length;
    FILE *const file = open_memstream(&text, &length);
    need(file && (c || w), "out of memory");
    if (w)
        gb_sweep_json(w, file);
    else
        gb_comparison_json(c, file);
    fclose(file);
    const gb_agreement a = gb_stored_agreement(s, text, length);
    need(*a.words && a.differing <= a.numbers && (!a.same_bits || a.is_same), "an impossible agreement");
    free(text);
    gb_comparison_free(c);
    gb_sweep_free(w);
}

static void make_again(const gb_stored *s)
{
    gb_compare_options with = s->with;
    with.threads = 1;
    if (s->is_path)
        compare(s, NULL, gb_compare_path_with(&with));
    else if (s->setting)
        compare(s, NULL, gb_compare_sweep_with(s->setting, s->points, s->value, &with));
    else
        compare(s, gb_compare_with(&with), NULL);
}

static void look(const gb_stored *s)
{
    FILE *const nowhere = fopen("/dev/null", "w");
    for (size_t i = 0; i < s->comparisons; i++) {
        need(s->comparison[i].problem && s->comparison[i].estimators > 0, "a comparison of nothing");
        gb_comparison_print(&s->comparison[i], nowhere);
        gb_comparison_json(&s->comparison[i], nowhere);
        gb_comparison_csv(&s->comparison[i], nowhere);
    }
    fclose(nowhere);
}

/* In memory of its own length, so that a sanitizer sees what is read beyond. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    const gb_memory memory = {.resize = resize, .release = release};
    char *const text = malloc(length + (length == 0));
    need(text, "out of memory");
    memcpy(text, data, length);
    most = 0;
    gb_stored *const s = gb_stored_read(text, length, .memory = &memory);
    need(s, "out of memory");
    need(most <= 100000 + 40 * length, "too much memory");
    need(s->status == GB_OK ? !*s->error : s->status == GB_EFILE && *s->error, "a status without words");
    if (s->status == GB_OK)
        look(s);
    if (s->status == GB_OK && is_small(s))
        make_again(s);
    gb_stored_free(s);
    free(text);
    return 0;
}
