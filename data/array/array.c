/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays in memory of their own, or mapped. */
#include "data/array.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "core/ground/memory_impl.h"
#include "data/array/idx_impl.h"
#include "data/array/npy_impl.h"

struct gb_array {
    gb_memory memory;
    gb_numbers numbers;
    gb_shape shape;
    void *own;
    void *mapped; /* the whole file */
    size_t mapped_bytes;
};

/* ---- numbers as they are stored become those of this machine ---- */

static void swap(unsigned char *at, size_t count, size_t each)
{
    for (size_t i = 0; i < count; i++, at += each)
        for (size_t k = 0; k < each / 2; k++) {
            const unsigned char byte = at[k];
            at[k] = at[each - 1 - k];
            at[each - 1 - k] = byte;
        }
}

/* Half precision: a sign, 5 bits of exponent, 10 bits. */
static float of_half(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000u) << 16, exponent = half >> 10 & 31u, rest = half & 1023u;
    uint32_t bits = sign | (exponent + 112) << 23 | rest << 13;
    float value;
    if (exponent == 31)
        bits = sign | 0x7F800000u | rest << 13;
    memcpy(&value, &bits, sizeof value);
    if (exponent == 0)
        value = (sign ? -1.0F : 1.0F) * (float)rest * 0x1p-24F;
    return value;
}

/* From the last to the first: floats take the place of halves. */
static void widen(void *numbers, size_t count)
{
    for (size_t i = count; i-- > 0;) {
        uint16_t half;
        memcpy(&half, (char *)numbers + 2 * i, sizeof half);
        const float value = of_half(half);
        memcpy((char *)numbers + 4 * i, &value, sizeof value);
    }
}

/* Copies numbers with the first axis contiguous to such with the last one. */
static void transpose(const char *from, char *to, gb_shape shape, size_t each)
{
    const size_t count = gb_shape_count(shape);
    int64_t at[GB_MAX_RANK] = {0};
    for (size_t i = 0; i < count; i++) {
        size_t place = 0;
        for (int k = shape.rank; k-- > 0;)
            place = place * (size_t)shape.size[k] + (size_t)at[k];
        memcpy(to + i * each, from + place * each, each);
        for (int k = shape.rank - 1; k >= 0 && ++at[k] == shape.size[k]; k--)
            at[k] = 0;
    }
}

/* ---- the numbers of a file ---- */

typedef struct reading {
    gb_stored source;
    gb_array_head head;
    gb_array *array;
    size_t count, each, bytes; /* as they are stored */
} reading;

static bool out_of_memory(const reading *r)
{
    gb_fail(r->source.tape, GB_ENOMEM, "array: %s: out of memory for %zu bytes", r->source.name, r->bytes);
    return false;
}

static bool fail_length(const reading *r, size_t is, bool is_more)
{
    char shape[GB_SHAPE_TEXT];
    return gb_head_fail(&r->source, "its shape is %s, which are %zu bytes of %s, and there are %s%zu",
                        gb_shape_text(r->head.shape, shape), r->bytes,
                        r->head.is_half ? "half precision" : gb_number_name(r->head.type),
                        is_more ? "more than " : "", is);
}

/* Reads the numbers into memory that grows with what is there: a packed file may announce any size. */
static bool read_numbers(reading *r)
{
    enum { FIRST = 1 << 22 };
    gb_stored *const s = &r->source;
    const size_t factor = r->head.is_half ? 2 : 1;
    unsigned char beyond;
    size_t used = 0, got = 1;
    for (size_t room = FIRST; used < r->bytes && got > 0; room *= 2) {
        const bool is_all = s->length >= 0 || room >= r->bytes;
        const size_t next = is_all ? r->bytes : room;
        void *const larger = gb_memory_resize(&s->memory, r->array->own, next * (is_all ? factor : 1));
        if (!larger)
            return out_of_memory(r);
        r->array->own = larger;
        got = gb_stored_read(s, (char *)larger + used, next - used);
        used += got;
    }
    if (s->has_failed)
        return false;
    if (used < r->bytes)
        return fail_length(r, used, false);
    return gb_stored_read(s, &beyond, 1) == 0 ? !s->has_failed : fail_length(r, r->bytes, true);
}

static bool order_axes(reading *r, size_t each)
{
    char *const other = gb_memory_resize(&r->source.memory, NULL, r->count * each + 1);
    if (!other)
        return out_of_memory(r);
    transpose(r->array->own, other, r->head.shape, each);
    gb_memory_release(&r->source.memory, r->array->own);
    r->array->own = other;
    return true;
}

static bool read_all(reading *r)
{
    if (!read_numbers(r))
        return false;
    if (r->head.is_swapped)
        swap(r->array->own, r->count, r->each);
    if (r->head.is_half)
        widen(r->array->own, r->count);
    if (r->head.is_fortran && r->head.shape.rank > 1 && !order_axes(r, gb_number_bytes(r->head.type)))
        return false;
    r->array->numbers.at = r->array->own;
    return true;
}

/* ---- mapped ---- */

static bool fail_mapped(const reading *r, const char *why)
{
    return gb_head_fail(&r->source, "it cannot be mapped, since %s; without .mapped it is read", why);
}

static bool map(reading *r)
{
    const gb_stored *const s = &r->source;
    const gb_array_head *const h = &r->head;
    if (s->is_packed)
        return fail_mapped(r, "it is packed by gzip");
    if (s->length < 0)
        return fail_mapped(r, "it is no regular file");
    if (h->is_swapped && r->each > 1)
        return fail_mapped(r, "its numbers have another order of bytes than this machine");
    if (h->is_half)
        return fail_mapped(r, "it has half precision");
    if (h->is_fortran && h->shape.rank > 1)
        return fail_mapped(r, "its first axis is contiguous (Fortran order)");
    if (h->bytes % r->each != 0)
        return fail_mapped(r, "its numbers are not aligned");
    r->array->mapped_bytes = (size_t)s->length;
    void *const at = mmap(NULL, r->array->mapped_bytes, PROT_READ, MAP_SHARED, s->file, 0);
    if (at == MAP_FAILED)
        return fail_mapped(r, errno == ENOMEM ? "out of memory" : "the system has no such maps of this file");
    r->array->mapped = at;
    r->array->numbers.at = (const char *)at + h->bytes;
    return true;
}

/* ---- reading ---- */

static bool fail_unknown(const reading *r, const unsigned char magic[GB_MAGIC])
{
    if (memcmp(magic, "PK\3\4", GB_MAGIC) == 0)
        return gb_head_fail(&r->source, "a zip archive, such as npz; numpy.save writes a single array");
    if (memcmp(magic, "\x89HDF", GB_MAGIC) == 0)
        return gb_head_fail(&r->source, "HDF5, which is not read; numpy.save writes NPY");
    return gb_head_fail(
        &r->source, "neither IDX nor NPY, by its first bytes %02x %02x %02x %02x; gb_table_read reads text",
        magic[0], magic[1], magic[2], magic[3]);
}

static bool read_head(reading *r)
{
    unsigned char magic[GB_MAGIC];
    gb_array_head *const h = &r->head;
    if (!gb_head_read(&r->source, h, magic, GB_MAGIC))
        return false;
    const bool good = gb_is_npy(magic)   ? gb_npy_head(&r->source, h)
                      : gb_is_idx(magic) ? gb_idx_head(&r->source, magic, h)
                                         : fail_unknown(r, magic);
    if (!good)
        return false;
    r->count = gb_shape_count(h->shape);
    r->each = h->is_half ? 2 : gb_number_bytes(h->type);
    r->bytes = r->count * r->each;
    if (h->shape.rank < 0)
        return gb_head_fail(&r->source, "its shape has more numbers than memory can have");
    if (r->count == 0)
        return gb_head_fail(&r->source, "it has no numbers: an axis has size 0");
    const int64_t length = r->source.length;
    if (length >= 0 && (uint64_t)length != h->bytes + r->bytes)
        return fail_length(r, (size_t)length - h->bytes, false);
    return true;
}

static bool fill(reading *r, const gb_array_read_options *o)
{
    gb_array *const a = r->array;
    if (o->mapped && o->data)
        return fail_mapped(r, "it is in memory already");
    if (!(o->data ? gb_stored_open_bytes(&r->source, o->data, o->bytes) : gb_stored_open(&r->source)) ||
        !read_head(r))
        return false;
    a->shape = r->head.shape;
    a->numbers = gb_numbers_of(r->head.type, NULL, r->count);
    return o->mapped ? map(r) : read_all(r);
}

gb_array *gb_array_read_with(gb_tape *tape, const char *path, const gb_array_read_options *given)
{
    gb_array_read_options options;
    if (!tape || gb_error(tape) != GB_OK || !gb_options_take(tape, "array", &options, sizeof options, given))
        return NULL;
    if (!path) {
        gb_fail(tape, GB_EARGUMENT, "array: the path is NULL");
        return NULL;
    }
    reading r = {.source = {.tape = tape, .what = "array", .name = path, .file = -1}};
    const gb_memory memory = gb_tape_memory(tape);
    r.array = gb_memory_resize(&memory, NULL, sizeof *r.array);
    if (!r.array) {
        gb_fail(tape, GB_ENOMEM, "array: %s: out of memory", path);
        return NULL;
    }
    *r.array = (gb_array){.memory = memory};
    const bool good = fill(&r, &options);
    gb_stored_close(&r.source);
    if (good)
        return r.array;
    gb_array_free(r.array);
    return NULL;
}

void gb_array_free(gb_array *a)
{
    if (!a)
        return;
    const gb_memory memory = a->memory;
    if (a->mapped)
        munmap(a->mapped, a->mapped_bytes);
    gb_memory_release(&memory, a->own);
    gb_memory_release(&memory, a);
}

gb_numbers gb_array_numbers(const gb_array *a)
{
    return a ? a->numbers : (gb_numbers){0};
}

gb_shape gb_array_shape(const gb_array *a)
{
    return a ? a->shape : (gb_shape){.rank = -1};
}

int64_t gb_array_rows(const gb_array *a)
{
    return !a ? 0 : a->shape.rank > 0 ? a->shape.size[0] : 1;
}
