/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct test {
    const char *name;
    void (*run)(gb_tape *t, const void *row);
    const void *row;
    int line;
    gb_tape_options of_tape;
} test;

static test *tests;
static size_t test_count;

static gb_tape **tapes; /* of the test that runs */
static size_t tape_count;

static void *grown(void *array, size_t count, size_t size)
{
    void *const more = realloc(array, (count + 1) * size);
    if (!more)
        abort();
    return more;
}

/* Constructors of one file may run in any order. */
void test_add(const char *name, void (*run)(gb_tape *t, const void *row), const void *row, int line,
              gb_tape_options of_tape)
{
    tests = grown(tests, test_count, sizeof *tests);
    size_t at = test_count++;
    for (; at > 0 && tests[at - 1].line > line; at--)
        tests[at] = tests[at - 1];
    tests[at] = (test){name, run, row, line, of_tape};
}

gb_tape *test_tape_with(gb_tape_options options)
{
    options.size = sizeof options;
    if (options.threads == 0)
        options.threads = 1;
    gb_tape *const t = gb_tape_new_with(&options);
    assert_non_null(t);
    tapes = grown(tapes, tape_count, sizeof *tapes);
    return tapes[tape_count++] = t;
}

static void run(void **state)
{
    const test *const it = *state;
    it->run(test_tape_with(it->of_tape), it->row);
}

static int free_tapes(void **state)
{
    (void)state;
    while (tape_count > 0)
        gb_tape_free(tapes[--tape_count]);
    free(tapes);
    tapes = NULL;
    return 0;
}

int main(int argc, char **argv)
{
    size_t part = 1, parts = 1, count = 0;
    if (test_begin)
        test_begin(argc, argv);
    if (argc > 1 && sscanf(argv[1], "%zu/%zu", &part, &parts) != 2)
        cmocka_set_test_filter(argv[1]);
    struct CMUnitTest *const mine = calloc(test_count + 1, sizeof *mine);
    if (!mine || part < 1 || part > parts)
        return EXIT_FAILURE;
    for (size_t i = part - 1; i < test_count; i += parts)
        mine[count++] = (struct CMUnitTest){tests[i].name, run, NULL, free_tapes, &tests[i]};
    const char *const slash = strrchr(argv[0], '/');
    const int failed = _cmocka_run_group_tests(slash ? slash + 1 : argv[0], mine, count, NULL, NULL);
    free(mine);
    return count == 0 || failed != 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
