/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How tests are written: TEST(name) { … } is one, which the program runs in the order of its file. Include it
 * first: it brings CMocka. The main function stands in test.c: `test_x` runs all, `test_x 2/6` the second of
 * six parts (every sixth test from the second), `test_x '*beta*'` those of such a name. */
#ifndef GREBE_TESTS_TEST_H
#define GREBE_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/tape.h"

/* The body of a test has `t`, a new tape of one thread. Options of gb_tape_new may follow the name:
 * TEST(name, .seed = 3). The tape is freed after the test, also after one that fails. */
#define TEST(...) TEST_OF(__VA_ARGS__, .size = sizeof(gb_tape_options))
#define TEST_OF(function, ...)                                                                               \
    static void function(gb_tape *, const void *);                                                           \
    __attribute__((constructor)) static void function##_is_a_test(void)                                      \
    {                                                                                                        \
        test_add(#function, function, NULL, __LINE__, (gb_tape_options){__VA_ARGS__});                       \
    }                                                                                                        \
    static void function(gb_tape *t __attribute__((unused)),                                                 \
                         const void *function##_row __attribute__((unused)))

/* TEST_EACH(name, table) { … } is one test for each row of an array, called by its member `name`. The body
 * has `row`, which points to it, besides `t`. */
#define TEST_EACH(...) TEST_EACH_OF(__VA_ARGS__, .size = sizeof(gb_tape_options))
#define TEST_EACH_OF(function, table, ...)                                                                   \
    static void function(gb_tape *, const void *);                                                           \
    __attribute__((constructor)) static void function##_is_a_test(void)                                      \
    {                                                                                                        \
        for (size_t i = 0; i < sizeof(table) / sizeof *(table); i++)                                         \
            test_add((table)[i].name, function, &(table)[i], __LINE__, (gb_tape_options){__VA_ARGS__});      \
    }                                                                                                        \
    static void function(gb_tape *t __attribute__((unused)), const void *row)

/* Adds a test to the end of those of earlier lines. */
void test_add(const char *name, void (*run)(gb_tape *t, const void *row), const void *row, int line,
              gb_tape_options of_tape);

/* One more tape, with options of gb_tape_new, which is freed after the test too. Of one
 * thread, unless .threads says otherwise. */
#define test_tape(...) test_tape_with((gb_tape_options){.size = sizeof(gb_tape_options), __VA_ARGS__})
gb_tape *test_tape_with(gb_tape_options options);

/* If a program defines it, it is called before all tests: to prepare what they
 * need, and to add tests that are made. */
void test_begin(int argc, char **argv) __attribute__((weak));

#endif
