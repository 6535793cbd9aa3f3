/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ready/analysis/facts_impl.h"

#include <math.h>
#include <string.h>

#include "core/tape.h"
#include "data/standard/packed_impl.h"

static const char magic[8] = {'G', 'B', 'm', 'o', 'd', 'e', 'l', 's'};
enum { VERSION = 2 };

bool gb_facts_note(gb_tape *t, const char *name, const gb_facts *f)
{
    const gb_memory memory = gb_tape_memory(t);
    gb_packing to = {.memory = &memory};
    gb_pack(&to, magic, sizeof magic);
    gb_pack_number(&to, VERSION, 4);
    gb_pack_text(&to, f->model);
    gb_pack_text(&to, f->posterior);
    gb_pack_text(&to, f->group);
    gb_pack_text(&to, f->error);
    gb_pack_text(&to, f->outcome);
    gb_pack_number(&to, f->has, 4);
    gb_pack_number(&to, f->has_design, 1);
    gb_pack_number(&to, (uint64_t)f->rows, 8);
    gb_pack_number(&to, (uint64_t)f->missing, 8);
    gb_pack_number(&to, (uint64_t)f->classes, 8);
    gb_pack_real(&to, f->outcome_mean);
    gb_pack_real(&to, f->outcome_sd);
    gb_pack_real(&to, f->counted_rows);
    gb_pack_number(&to, (uint64_t)f->columns, 4);
    for (int64_t k = 0; k < f->columns; k++) {
        gb_pack_real(&to, f->mean[k]);
        gb_pack_real(&to, f->sd[k]);
    }
    const gb_status status = to.failed || !name
                                 ? gb_fail(t, GB_ENOMEM, "analysis: out of memory for what it has learned")
                                 : gb_tape_note(t, name, to.at, to.length);
    gb_memory_release(&memory, to.at);
    return status == GB_OK;
}

/* A scale is positive, a count not negative. */
static bool are_sound(const gb_facts *f)
{
    bool good = f->rows > 0 && f->missing >= 0 && f->missing <= f->rows && f->classes >= 0 &&
                f->columns >= 0 && isfinite(f->outcome_mean) && f->outcome_sd > 0 &&
                isfinite(f->outcome_sd) && f->counted_rows > 0 && isfinite(f->counted_rows);
    for (int64_t k = 0; k < f->columns && good; k++)
        good = isfinite(f->mean[k]) && f->sd[k] > 0 && isfinite(f->sd[k]);
    return good;
}

static bool read_scales(gb_tape *t, gb_unpacked *from, gb_facts *f)
{
    const size_t columns = gb_unpack_count(from, 16);
    double *const scale = gb_tape_keep(t, (2 * columns + 1) * sizeof *scale);
    if (!scale)
        return false;
    for (size_t k = 0; k < columns; k++) {
        scale[k] = gb_unpack_real(from);
        scale[columns + k] = gb_unpack_real(from);
    }
    f->columns = (int64_t)columns;
    f->mean = scale;
    f->sd = scale + columns;
    return true;
}

static const char *read_text(gb_tape *t, gb_unpacked *from, gb_arena *arena)
{
    const char *const text = gb_unpack_text(from, arena);
    return text ? gb_tape_keep_text(t, text) : "";
}

static bool read(gb_tape *t, gb_unpacked *from, gb_arena *arena, gb_facts *f)
{
    if (gb_unpack_number(from, 4) != VERSION)
        return gb_unpack_fault(from, "is of another version");
    f->model = read_text(t, from, arena);
    f->posterior = read_text(t, from, arena);
    f->group = read_text(t, from, arena);
    f->error = read_text(t, from, arena);
    f->outcome = read_text(t, from, arena);
    f->has = (unsigned)gb_unpack_number(from, 4);
    f->has_design = gb_unpack_number(from, 1) != 0;
    f->rows = (int64_t)gb_unpack_number(from, 8);
    f->missing = (int64_t)gb_unpack_number(from, 8);
    f->classes = (int64_t)gb_unpack_number(from, 8);
    f->outcome_mean = gb_unpack_real(from);
    f->outcome_sd = gb_unpack_real(from);
    f->counted_rows = gb_unpack_real(from);
    if (!read_scales(t, from, f))
        return false;
    return from->fault || (from->left == 0 && are_sound(f)) ||
           gb_unpack_fault(from, "has numbers that cannot be");
}

bool gb_facts_read(gb_tape *t, const char *name, gb_facts *f)
{
    size_t count = 0;
    const unsigned char *const bytes = !name ? NULL : gb_tape_noted(t, name, &count);
    *f = (gb_facts){.rows = 0};
    if (!bytes)
        return gb_fail(t, GB_ENAME,
                       "analysis: the tape has no note of an analysis; load its checkpoint first") == GB_OK;
    gb_unpacked from = {.at = bytes + sizeof magic, .left = count - sizeof magic};
    if (count < sizeof magic || memcmp(bytes, magic, sizeof magic) != 0)
        return gb_fail(t, GB_EFILE, "analysis: the note %s is of something else", name) == GB_OK;
    const gb_memory memory = gb_tape_memory(t);
    gb_arena arena = {.memory = &memory};
    const bool good = read(t, &from, &arena, f);
    gb_arena_free(&arena);
    if (from.fault)
        gb_fail(t, GB_EFILE, "analysis: the note %s %s", name, from.fault);
    return good && gb_error(t) == GB_OK;
}
