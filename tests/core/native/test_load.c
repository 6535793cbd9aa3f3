/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where there is no file in memory, objects are loaded through a temporary file. */
#define _GNU_SOURCE /* as core/native/object.c has it */
#include "support/test.h"

#include <errno.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

/* The same source, on a system whose memory may not be executed. */
#define memfd_create(name, flags) (errno = EACCES, (void)(flags), -1)
#define gb_object_load load_without_memory
#define gb_object_find find_without_memory
#define gb_object_free free_without_memory
#include "core/native/object.c"

#include "support/native.h"

TEST(an_object_from_a_temporary_file)
{
    native_needs_compiler();
    native_begin();
    const int open = native_open_files();
    gb_object *const object = native_load(native_text(7), "");
    assert_int_equal(object->file, -1);
    assert_int_equal(native_call(object), 7);
    native_assert_clean();
    gb_object_free(object);
    native_fake("echo 'int f(void) { return 1; }' > \"$out.c\"; cc -shared -fPIC \"$out.c\" -o \"$out\"");
    native_load(native_text(8), "another object has its place");
    assert_int_equal(native_open_files(), open);
    native_end();
}
