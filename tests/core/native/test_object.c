/* SPDX-License-Identifier: GPL-3.0-or-later */
/* C text becomes functions of this process. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "core/kernels/isa_impl.h"
#include "core/native/object_impl.h"

#define PRELUDE "#include \"native_prelude.h\"\n"

/* One file, and two of which the first calls the second. */
static const char *const one[] = {
    PRELUDE "GB_NATIVE void twice(double *x) { *(V *)x = v_exp(*(const V *)x) + *(const V *)x; }\n"};
static const char *const two[] = {
    PRELUDE "double half(double x);\nGB_NATIVE double quarter(double x) { return half(half(x)); }\n",
    PRELUDE "double half(double x);\ndouble half(double x) { return x / 2; }\n"};

static gb_object *load(const char *const *file, size_t files, const char *expected)
{
    char why[512] = "";
    gb_object *const object =
        gb_object_load(&(gb_source){.file = file, .files = files, .isa = gb_best_isa(), .real_bits = 64}, NULL,
                       why, sizeof why);
    if (!!object == (*expected != '\0') || !strstr(why, expected))
        fail_msg("%s; expected: %s", why, expected);
    return object;
}

TEST(a_text_is_run)
{
    gb_object *const object = load(one, 1, "");
    void (*twice)(double *);
    *(void **)&twice = gb_object_find(object, "twice");
    assert_non_null(twice);
    assert_null(gb_object_find(object, "v_exp"));
    double x[8] = {0, 1};
    twice(x);
    assert_true(x[0] == 1);
    gb_object_free(object);
}

TEST(several_files_are_linked)
{
    gb_object *const object = load(two, 2, "");
    double (*quarter)(double);
    *(void **)&quarter = gb_object_find(object, "quarter");
    assert_true(quarter(1) == 0.25);
    assert_null(gb_object_find(object, "half"));
    gb_object_free(object);
}

TEST(words_of_the_compiler)
{
    const char *const text[] = {PRELUDE "int x = nowhere;\n"};
    load(text, 1, "0.c:2:9: error");
}
