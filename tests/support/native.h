/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Objects in tests: each program has temporary files and a cache of its own. Include support/test.h first. */
#ifndef GREBE_TESTS_NATIVE_H
#define GREBE_TESTS_NATIVE_H

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/kernels/isa_impl.h"
#include "core/native/object_impl.h"
#include "support/files.h"

enum { NATIVE_PATH = 512 };
static char native_folder[NATIVE_PATH], native_temporary[NATIVE_PATH + 8], native_cache[NATIVE_PATH + 16];

/* Writes a path in the folder of this program. */
static inline const char *native_path(const char *name)
{
    static char path[4][NATIVE_PATH + 64];
    static unsigned turn;
    char *const to = path[turn++ % 4];
    snprintf(to, sizeof path[0], "%s/%s", native_folder, name);
    return to;
}

/* An empty folder with tmp/, and with cache/grebe/ after the first load. */
static inline void native_begin(void)
{
    char remove[NATIVE_PATH + 16];
    snprintf(native_folder, sizeof native_folder, GB_TEST_FOLDER "/native-%ld", (long)getpid());
    snprintf(remove, sizeof remove, "rm -rf '%s'", native_folder);
    assert_int_equal(system(remove), 0);
    assert_int_equal(mkdir(native_folder, 0700), 0);
    snprintf(native_temporary, sizeof native_temporary, "%s/tmp", native_folder);
    snprintf(native_cache, sizeof native_cache, "%s/cache/grebe", native_folder);
    assert_int_equal(mkdir(native_temporary, 0700), 0);
    assert_int_equal(setenv("TMPDIR", native_temporary, 1), 0);
    assert_int_equal(setenv("XDG_CACHE_HOME", native_path("cache"), 1), 0);
    assert_int_equal(unsetenv("GREBE_CC"), 0);
}

/* The entries of a folder, without . and ..; -1: there is none. */
static inline int native_entries(const char *folder)
{
    int count = 0;
    DIR *const all = opendir(folder);
    if (!all)
        return -1;
    while (readdir(all))
        count++;
    closedir(all);
    return count - 2;
}

static inline int native_open_files(void)
{
    return native_entries("/proc/self/fd");
}

/* No temporary file, and no child that has not been waited for. */
static inline void native_assert_clean(void)
{
    assert_int_equal(native_entries(native_temporary), 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static inline void native_end(void)
{
    char remove[NATIVE_PATH + 16];
    native_assert_clean();
    snprintf(remove, sizeof remove, "rm -rf '%s'", native_folder);
    assert_int_equal(system(remove), 0);
}

/* Skips the test where the system has no C compiler. */
static inline void native_needs_compiler(void)
{
    if (system("cc --version >/dev/null 2>&1") != 0) {
        print_message("there is no cc here\n");
        skip();
    }
}

/* Makes a shell script the compiler. In it $out is the file after -o. */
static inline void native_fake(const char *script)
{
    char text[4096];
    snprintf(
        text, sizeof text,
        "#!/bin/sh\nprevious=\nfor each; do [ \"$previous\" = -o ] && out=$each; previous=$each; done\n%s\n",
        script);
    unlink(native_path("fake"));
    file_put_text(native_path("fake"), text);
    assert_int_equal(chmod(native_path("fake"), 0700), 0);
    assert_int_equal(setenv("GREBE_CC", native_path("fake"), 1), 0);
}

/* A compiler that counts how often it is called. It compiles once for each key, and makes
 * copies after that. */
static inline void native_count(void)
{
    char script[2 * NATIVE_PATH + 256];
    snprintf(script, sizeof script,
             "echo >> '%s'\nkept='%s'/kept-$(cksum < \"$TMPDIR/key.h\" | tr -d ' ')\n"
             "if [ ! -e \"$kept\" ]; then\n"
             "    cc \"$@\" || exit; cp \"$out\" \"$kept.$$\"; mv \"$kept.$$\" \"$kept\"\nfi\n"
             "cp \"$kept\" \"$out\"",
             native_path("calls"), native_folder);
    native_fake(script);
    unlink(native_path("calls"));
}

static inline int native_calls(void)
{
    struct stat is;
    return stat(native_path("calls"), &is) == 0 ? (int)is.st_size : 0;
}

/* Loads texts. `expected` are words of the failure; "" if there is to be none. */
static inline gb_object *native_load_of(const char *const *file, size_t files, const atomic_bool *cancel,
                                        const char *expected)
{
    char why[512] = "";
    gb_object *const object = gb_object_load(
        &(gb_native_source){.file = file, .files = files, .isa = gb_best_isa(), .real_bits = 64}, cancel, why,
        sizeof why);
    if (!object == (*expected == '\0') || (!object && !strstr(why, expected)) || strchr(why, '\n'))
        fail_msg("%s; expected: %s", why, expected);
    return object;
}

static inline gb_object *native_load(const char *text, const char *expected)
{
    return native_load_of(&text, 1, NULL, expected);
}

/* A text without the vector headers, which are half of the time: f returns the number. */
static inline const char *native_text(int number)
{
    static char text[160];
    snprintf(text, sizeof text, "__attribute__((visibility(\"default\"))) int f(void) { return %d; }\n",
             number);
    return text;
}

static inline int native_call(const gb_object *object)
{
    int (*f)(void);
    *(void **)&f = gb_object_find(object, "f");
    assert_non_null(f);
    return f();
}

static inline void native_assert_loads(int number)
{
    gb_object *const object = native_load(native_text(number), "");
    assert_int_equal(native_call(object), number);
    gb_object_free(object);
}

#endif
