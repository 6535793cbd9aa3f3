/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a checkpoint, as they are and with length and checksum made right: they are taken, or
 * rejected in words with nothing changed. */
#include <stdint.h>
#include <stdio.h>

#include "fuzz.h"
#include "models/checkpoint/format_impl.h"
#include "models/checkpoint/load_impl.h"
#include "models/small.h"

static void need(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_checkpoint: %s\n", what);
    abort();
}

static void try_bytes(small *s, unsigned char *bytes, size_t length)
{
    const small_state before = small_now(s);
    const gb_status status = gb_checkpoint_take(&s->c, bytes, length);
    need(status == gb_error(s->t), "the status is not the tape's");
    if (status == GB_OK)
        return;
    need(status == GB_EFILE && *gb_error_text(s->t), "rejected without a reason");
    gb_forgive(s->t);
    need(small_is(s, &before), "rejected, and yet something changed");
}

/* In memory of its own length, so that a sanitizer sees what is read beyond. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    small s;
    unsigned char *const bytes = malloc(length ? length : 1);
    small_begin(&s, gb_tape_new(.seed = 9, .threads = 1), "x");
    need(bytes && gb_error(s.t) == GB_OK, "out of memory");
    for (int programs = 0; programs < 2; programs++)
        for (int sealed = 0; sealed < 2; sealed++) {
            s.c.programs = (size_t)programs;
            if (length > 0)
                memcpy(bytes, data, length);
            if (sealed && length >= GB_SAVED_HEAD + GB_SAVED_TAIL)
                gb_saved_seal(bytes, length);
            try_bytes(&s, bytes, length);
        }
    free(bytes);
    gb_tape_free(s.t);
    return 0;
}
