/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/standard/packed_impl.h"

#include <string.h>

void gb_pack(gb_packing *to, const void *bytes, size_t count)
{
    if (to->failed || !gb_grow(to->memory, (void **)&to->at, &to->capacity, to->length + count + 1, 1)) {
        to->failed = true;
        return;
    }
    if (count > 0)
        memcpy(to->at + to->length, bytes, count);
    to->length += count;
    to->at[to->length] = '\0';
}

void gb_pack_number(gb_packing *to, uint64_t number, size_t bytes)
{
    unsigned char byte[8];
    for (size_t i = 0; i < bytes; i++)
        byte[i] = (unsigned char)(number >> 8 * i);
    gb_pack(to, byte, bytes);
}

void gb_pack_real(gb_packing *to, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    gb_pack_number(to, bits, sizeof bits);
}

void gb_pack_text(gb_packing *to, const char *text)
{
    const size_t length = strlen(text);
    gb_pack_number(to, length, 4);
    gb_pack(to, text, length);
}

bool gb_unpack_fault(gb_unpacked *from, const char *fault)
{
    if (!from->fault)
        from->fault = fault;
    from->left = 0;
    return false;
}

/* Returns the next `count` bytes; NULL if there are fewer. */
static const unsigned char *next(gb_unpacked *from, size_t count)
{
    const unsigned char *const at = from->at;
    if (from->fault || from->left < count) {
        gb_unpack_fault(from, "it is cut short");
        return NULL;
    }
    from->at += count;
    from->left -= count;
    return at;
}

uint64_t gb_unpack_number(gb_unpacked *from, size_t bytes)
{
    const unsigned char *const at = next(from, bytes);
    uint64_t number = 0;
    for (size_t i = 0; at && i < bytes; i++)
        number |= (uint64_t)at[i] << 8 * i;
    return number;
}

double gb_unpack_real(gb_unpacked *from)
{
    const uint64_t bits = gb_unpack_number(from, 8);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

size_t gb_unpack_count(gb_unpacked *from, size_t each)
{
    const uint64_t count = gb_unpack_number(from, 4);
    if (count > from->left / each)
        gb_unpack_fault(from, "it is cut short");
    return from->fault ? 0 : (size_t)count;
}

const char *gb_unpack_text(gb_unpacked *from, gb_arena *arena)
{
    const size_t length = gb_unpack_count(from, 1);
    const unsigned char *const at = next(from, length);
    if (at && memchr(at, 0, length)) {
        gb_unpack_fault(from, "a text has a byte 0");
        return NULL;
    }
    char *const own = at ? gb_arena_take(arena, length + 1) : NULL;
    return own ? memcpy(own, at, length) : NULL;
}
