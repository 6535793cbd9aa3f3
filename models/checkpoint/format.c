/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The layout of docs/checkpoint-format.md, as functions on bytes. Files are untrusted: every number read is
 * checked. */
#include "models/checkpoint/format_impl.h"

#include <stdarg.h>
#include <string.h>

#include "core/ground/text_impl.h"

static const unsigned char MAGIC[8] = {0x89, 'g', 'r', 'e', 'b', 'e', '\r', '\n'};
enum { PROGRAM_BYTES = 16, ENTRY_BYTES = 8, ORDER_MARK = 0x01020304, ORDER_MARK_TURNED = 0x04030201 };

/* ---- numbers, the low byte first ---- */

static uint64_t number_at(const unsigned char *at, size_t bytes)
{
    uint64_t number = 0;
    for (size_t i = 0; i < bytes; i++)
        number |= (uint64_t)at[i] << 8 * i;
    return number;
}

static uint32_t short_at(const unsigned char *at)
{
    return (uint32_t)number_at(at, 4);
}

static void number_to(unsigned char *to, uint64_t number, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        to[i] = (unsigned char)(number >> 8 * i);
}

void gb_saved_elements(unsigned char *to, const unsigned char *from, size_t bytes, size_t width)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    (void)width;
    if (to != from && bytes > 0)
        memcpy(to, from, bytes);
#else
    for (size_t first = 0; first + width <= bytes; first += width)
        for (size_t i = 0; 2 * i < width; i++) {
            const size_t low = first + i, high = first + width - 1 - i;
            const unsigned char kept = from[low];
            to[low] = from[high];
            to[high] = kept;
        }
#endif
}

/* CRC-64/XZ: the polynomial of ECMA-182, bit-reversed; initial value and final xor are all ones. */
uint64_t gb_saved_checksum(const unsigned char *bytes, size_t length)
{
    uint64_t table[256], sum = UINT64_MAX;
    for (uint64_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++)
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xc96c5795d7870f42u : 0);
    }
    for (size_t i = 0; i < length; i++)
        sum = sum >> 8 ^ table[(sum ^ bytes[i]) & 255];
    return ~sum;
}

/* ---- names ---- */

int gb_saved_order(const gb_saved_entry *a, const gb_saved_entry *b)
{
    const size_t shorter = a->length < b->length ? a->length : b->length;
    const int order = shorter > 0 ? memcmp(a->name, b->name, shorter) : 0;
    return order ? order : (a->length > b->length) - (a->length < b->length);
}

const char *gb_saved_shown(const gb_saved_entry *entry, char text[GB_SAVED_SHOWN])
{
    gb_text_show(entry->name, entry->length, GB_SAVED_SHOWN - 1, text);
    return text;
}

/* ---- reading ---- */

static bool GB_PRINTF(2, 3) reject(char why[GB_SAVED_WHY], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, GB_SAVED_WHY, format, arguments);
    va_end(arguments);
    return false;
}

/* Reads an entry, whose sizes must fit the remaining bytes. Moves `at` behind it. */
static bool read_entry(const unsigned char **at, const unsigned char *end, size_t width,
                       gb_saved_entry *entry)
{
    int64_t sizes[GB_MAX_RANK];
    size_t left = (size_t)(end - *at);
    if (left < ENTRY_BYTES)
        return false;
    const uint32_t length = short_at(*at), rank = short_at(*at + 4);
    left -= ENTRY_BYTES;
    if (rank > GB_MAX_RANK || left < 8 * (size_t)rank || left - 8 * (size_t)rank < length || length == 0)
        return false;
    left -= 8 * (size_t)rank + length;
    for (uint32_t i = 0; i < rank; i++)
        sizes[i] = (int64_t)number_at(*at + ENTRY_BYTES + 8 * i, 8);
    const unsigned char *const name = *at + ENTRY_BYTES + 8 * (size_t)rank;
    *entry = (gb_saved_entry){.name = (const char *)name,
                              .length = length,
                              .shape = gb_shape_of((int)rank, sizes),
                              .data = name + length};
    const size_t count = gb_shape_count(entry->shape);
    if (entry->shape.rank < 0 || count > left / width || memchr(name, 0, length))
        return false;
    entry->bytes = count * width;
    *at = name + length + entry->bytes;
    return true;
}

static bool read_entries(const unsigned char **at, const unsigned char *end, uint32_t count, size_t width,
                         const char *what, char why[GB_SAVED_WHY])
{
    char shown[GB_SAVED_SHOWN];
    gb_saved_entry before = {0}, entry;
    for (uint32_t i = 0; i < count; i++, before = entry) {
        if (!read_entry(at, end, width, &entry))
            return reject(why,
                          "it is damaged: its %s %u of %u does not fit the file, or has no name or shape",
                          what, i + 1, count);
        if (i > 0 && gb_saved_order(&before, &entry) >= 0)
            return reject(why, "it is damaged: its %s %s comes twice, or is out of order", what,
                          gb_saved_shown(&entry, shown));
    }
    return true;
}

static bool read_head(const unsigned char *bytes, size_t length, char why[GB_SAVED_WHY])
{
    if (length == 0)
        return reject(why, "it is empty");
    if (length < sizeof MAGIC || memcmp(bytes, MAGIC, sizeof MAGIC) != 0)
        return reject(why, "it is not a checkpoint of grebe");
    if (length < GB_SAVED_HEAD + GB_SAVED_TAIL)
        return reject(why, "it is cut short: %zu bytes are less than the smallest checkpoint has", length);
    const uint32_t version = short_at(bytes + 8), mark = short_at(bytes + 12);
    if (mark == ORDER_MARK_TURNED)
        return reject(why, "its byte order is reversed: it was not written by grebe, or was changed since");
    if (version < 1 || version > GB_SAVED_VERSION)
        return reject(why, "it is of version %u of the format, and this grebe reads versions 1 to %d%s",
                      version, GB_SAVED_VERSION,
                      version > GB_SAVED_VERSION ? ": a later grebe wrote it" : "");
    if (mark != ORDER_MARK)
        return reject(why, "it is damaged: its byte order mark is %08x", mark);
    const uint64_t should = number_at(bytes + 16, 8);
    if (should != length)
        return reject(why, "it is %s: %zu bytes are here, %llu were written",
                      length < should ? "cut short" : "longer than it was", length,
                      (unsigned long long)should);
    return true;
}

static bool read_programs(const unsigned char **at, gb_saved *saved, char why[GB_SAVED_WHY])
{
    if (saved->programs > (size_t)(saved->end - *at) / PROGRAM_BYTES)
        return reject(why, "it is damaged: %u programs do not fit the file", saved->programs);
    saved->program = *at;
    *at += (size_t)saved->programs * PROGRAM_BYTES;
    for (uint32_t i = 0; i < saved->programs; i++)
        if (gb_saved_program_at(saved, i).step >> 63)
            return reject(why, "it is damaged: the step of program %u is invalid", i + 1);
    return true;
}

static size_t width_of(const gb_saved *saved)
{
    return saved->real == GB_FLOAT ? sizeof(float) : sizeof(double);
}

/* Only a head of version 2 has a number of notes. */
static bool read_notes_count(const unsigned char **at, uint32_t version, gb_saved *saved,
                             char why[GB_SAVED_WHY])
{
    if (version < 2)
        return true;
    if (saved->end - *at < 4)
        return reject(why, "it is damaged: its head does not fit the file");
    saved->notes = short_at(*at);
    *at += 4;
    return true;
}

bool gb_saved_open(const unsigned char *bytes, size_t length, gb_saved *saved, char why[GB_SAVED_WHY])
{
    if (!read_head(bytes, length, why))
        return false;
    if (gb_saved_checksum(bytes, length - GB_SAVED_TAIL) != number_at(bytes + length - GB_SAVED_TAIL, 8))
        return reject(why, "it is damaged: its checksum does not match");
    const uint32_t real = short_at(bytes + 32);
    if (real > 1)
        return reject(why, "it is damaged: its type of reals is %u", real);
    *saved = (gb_saved){.seed = number_at(bytes + 24, 8),
                        .real = real == 1 ? GB_FLOAT : GB_DOUBLE,
                        .programs = short_at(bytes + 36),
                        .variables = short_at(bytes + 40),
                        .parts = short_at(bytes + 44),
                        .end = bytes + length - GB_SAVED_TAIL};
    const unsigned char *at = bytes + GB_SAVED_HEAD;
    if (!read_notes_count(&at, short_at(bytes + 8), saved, why) || !read_programs(&at, saved, why))
        return false;
    saved->variable = at;
    if (!read_entries(&at, saved->end, saved->variables, width_of(saved), "variable", why))
        return false;
    saved->part = at;
    if (!read_entries(&at, saved->end, saved->parts, 1, "part", why))
        return false;
    saved->note = at;
    if (!read_entries(&at, saved->end, saved->notes, 1, "note", why))
        return false;
    return at == saved->end ||
           reject(why, "it is damaged: %zu bytes are left over", (size_t)(saved->end - at));
}

gb_saved_program gb_saved_program_at(const gb_saved *saved, size_t index)
{
    const unsigned char *const at = saved->program + index * PROGRAM_BYTES;
    return (gb_saved_program){.step = number_at(at, 8), .fingerprint = number_at(at + 8, 8)};
}

static gb_saved_entry next(const gb_saved *saved, const unsigned char **at, size_t width)
{
    gb_saved_entry entry = {0};
    read_entry(at, saved->end, width, &entry);
    return entry;
}

gb_saved_entry gb_saved_variable_next(const gb_saved *saved, const unsigned char **at)
{
    return next(saved, at, width_of(saved));
}

gb_saved_entry gb_saved_part_next(const gb_saved *saved, const unsigned char **at)
{
    return next(saved, at, 1);
}

/* ---- writing ---- */

/* Returns the memory for `bytes`; NULL if they are only counted. */
static unsigned char *room(gb_saving *s, size_t bytes)
{
    unsigned char *const at = s->to ? s->to + s->used : NULL;
    s->too_long |= bytes > SIZE_MAX - s->used;
    s->used += bytes;
    return at;
}

static void put(gb_saving *s, uint64_t number, size_t bytes)
{
    unsigned char *const at = room(s, bytes);
    if (at)
        number_to(at, number, bytes);
}

static void put_bytes(gb_saving *s, const void *from, size_t bytes, size_t width)
{
    unsigned char *const at = room(s, bytes);
    if (at)
        gb_saved_elements(at, from, bytes, width);
}

void gb_saving_head(gb_saving *s, const gb_saved *head, size_t length)
{
    put_bytes(s, MAGIC, sizeof MAGIC, 1);
    put(s, head->notes > 0 ? 2 : 1, 4); /* earlier releases read what they understand */
    put(s, ORDER_MARK, 4);
    put(s, length, 8);
    put(s, head->seed, 8);
    put(s, head->real == GB_FLOAT, 4);
    put(s, head->programs, 4);
    put(s, head->variables, 4);
    put(s, head->parts, 4);
    if (head->notes > 0)
        put(s, head->notes, 4);
}

void gb_saving_program(gb_saving *s, gb_saved_program program)
{
    put(s, program.step, 8);
    put(s, program.fingerprint, 8);
}

void gb_saving_entry(gb_saving *s, const gb_saved_entry *entry, size_t width)
{
    put(s, entry->length, 4);
    put(s, (uint64_t)entry->shape.rank, 4);
    for (int i = 0; i < entry->shape.rank; i++)
        put(s, (uint64_t)entry->shape.size[i], 8);
    put_bytes(s, entry->name, entry->length, 1);
    put_bytes(s, entry->data, entry->bytes, width);
}

void gb_saving_tail(gb_saving *s)
{
    put(s, s->to ? gb_saved_checksum(s->to, s->used) : 0, GB_SAVED_TAIL);
}

void gb_saved_seal(unsigned char *bytes, size_t length)
{
    number_to(bytes + 16, length, 8);
    number_to(bytes + length - GB_SAVED_TAIL, gb_saved_checksum(bytes, length - GB_SAVED_TAIL),
              GB_SAVED_TAIL);
}
