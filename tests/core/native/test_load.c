/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where there is no file in memory, objects are loaded through a temporary file. */
#define _GNU_SOURCE /* as core/native/load.c has it */
#include "support/test.h"

#include <errno.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "core/native/build_impl.h"
#include "support/native.h"

/* The same source, on a system whose memory may not be executed. */
#define memfd_create(name, flags) (errno = EACCES, (void)(flags), -1)
#define gb_load load_without_memory
#define gb_load_can can_load_without_memory
#define gb_unload unload_without_memory
#include "core/native/load.c"

TEST(an_object_from_a_temporary_file)
{
    static const gb_memory usual;
    char why[512] = "";
    const gb_why words = {why, sizeof why};
    const char *const text = native_text(7);
    const gb_source source = {.file = &text, .files = 1, .isa = GB_ISA_BASELINE, .real_bits = 64};
    gb_compiler compiler;
    gb_loaded loaded;
    gb_bytes object;
    native_needs_compiler();
    native_begin();
    const int open = native_open_files();
    assert_true(can_load_without_memory(words));
    assert_true(gb_compiler_find(&compiler, words));
    assert_true(gb_build(&compiler, &source, &usual, "a key", NULL, &object, words));
    assert_false(load_without_memory(&loaded, object, "another key", words));
    assert_non_null(strstr(why, "another object has its place"));
    if (!load_without_memory(&loaded, object, "a key", words))
        fail_msg("%s", why);
    assert_int_equal(loaded.file, -1);
    int (*f)(void);
    *(void **)&f = dlsym(loaded.library, "f");
    assert_int_equal(f(), 7);
    native_assert_clean();
    unload_without_memory(&loaded);
    assert_int_equal(native_open_files(), open);
    free(object.at);
    native_end();
}
