/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/array/npy_impl.h"

#include <string.h>

#include "core/ground/memory_impl.h"
#include "core/ground/text_impl.h"

bool gb_is_npy(const unsigned char magic[GB_MAGIC])
{
    return memcmp(magic, "\x93NUM", GB_MAGIC) == 0;
}

/* ---- types ---- */

typedef struct npy_type {
    const char *text;
    gb_number type;
} npy_type;

static const npy_type types[] = {{"f8", GB_NUMBER_DOUBLE}, {"f4", GB_NUMBER_FLOAT},  {"u1", GB_NUMBER_UINT8},
                                 {"i1", GB_NUMBER_INT8},   {"i2", GB_NUMBER_INT16},  {"u2", GB_NUMBER_UINT16},
                                 {"i4", GB_NUMBER_INT32},  {"u4", GB_NUMBER_UINT32}, {"i8", GB_NUMBER_INT64},
                                 {"u8", GB_NUMBER_UINT64}, {"b1", GB_NUMBER_UINT8},  {"f2", GB_NUMBER_FLOAT}};

/* The order of bytes and the type: "<f8". */
static bool take_type(const gb_stored *s, gb_array_head *head, const char *text, size_t length)
{
    enum { SHOWN = 40 };
    char shown[SHOWN + 1];
    const bool has_order = length == 3 && strchr("<>=|", text[0]);
    for (size_t i = 0; has_order && i < sizeof types / sizeof *types; i++)
        if (memcmp(text + 1, types[i].text, 2) == 0) {
            const char other = gb_is_little_endian() ? '>' : '<';
            head->type = types[i].type;
            head->is_half = memcmp(text + 1, "f2", 2) == 0;
            head->is_swapped = text[0] == other && text[2] != '1';
            return true;
        }
    const bool is_whole = gb_text_show(text, length, SHOWN, shown);
    return gb_head_fail(s,
                        "its numbers are of numpy's type %s%s; those that are read are f8, f4, f2, i1 to i8, "
                        "u1 to u8 and b1 (numpy: a.astype(\"f8\"))",
                        shown, is_whole ? "" : "…");
}

/* ---- the dictionary, as Python writes it ---- */

typedef struct literal {
    const gb_stored *source;
    const char *at; /* ends with a zero byte */
} literal;

static void skip_spaces(literal *l)
{
    l->at += strspn(l->at, " \t\n");
}

static bool skip(literal *l, char c)
{
    skip_spaces(l);
    if (*l->at != c)
        return false;
    l->at++;
    return true;
}

/* A text in single or double quotes. */
static bool take_text(literal *l, const char **text, size_t *length)
{
    skip_spaces(l);
    const char quote = *l->at;
    const char *const end = quote == '\'' || quote == '"' ? strchr(l->at + 1, quote) : NULL;
    if (!end)
        return false;
    *text = l->at + 1;
    *length = (size_t)(end - *text);
    l->at = end + 1;
    return true;
}

static bool take_word(literal *l, const char *word)
{
    skip_spaces(l);
    const size_t length = strlen(word);
    if (strncmp(l->at, word, length) != 0)
        return false;
    l->at += length;
    return true;
}

/* Returns a size; −1 for none. A larger one than any array has is INT64_MAX. Python 2 wrote 3L. */
static int64_t take_size(literal *l)
{
    int64_t size = 0;
    skip_spaces(l);
    if (*l->at < '0' || *l->at > '9')
        return -1;
    for (; *l->at >= '0' && *l->at <= '9'; l->at++)
        size = size > INT64_MAX / 10 - 10 ? INT64_MAX / 10 : size * 10 + (*l->at - '0');
    l->at += *l->at == 'L';
    return size;
}

/* (), (3,), (3, 4). */
static bool take_shape(literal *l, gb_array_head *head)
{
    int64_t sizes[GB_MAX_RANK];
    int rank = 0;
    if (!skip(l, '('))
        return gb_head_fail(l->source, "its shape is not a tuple");
    while (!skip(l, ')')) {
        if (rank == GB_MAX_RANK)
            return gb_head_fail(l->source, "the array has more than %d axes", GB_MAX_RANK);
        sizes[rank] = take_size(l);
        skip_spaces(l);
        if (sizes[rank++] < 0 || (*l->at != ',' && *l->at != ')'))
            return gb_head_fail(l->source, "its shape is no tuple of sizes, 0 or larger");
        skip(l, ',');
    }
    head->shape = gb_shape_of(rank, sizes);
    return true;
}

enum { DESCR, FORTRAN_ORDER, SHAPE, KEYS };
static const char *const keys[KEYS] = {"descr", "fortran_order", "shape"};

static bool take_value(literal *l, gb_array_head *head, int key)
{
    const char *text;
    size_t length;
    if (key == SHAPE)
        return take_shape(l, head);
    if (key == DESCR)
        return take_text(l, &text, &length)
                   ? take_type(l->source, head, text, length)
                   : gb_head_fail(l->source, "its numbers are structures; an array of one type is read");
    head->is_fortran = take_word(l, "True");
    return head->is_fortran || take_word(l, "False") ||
           gb_head_fail(l->source, "fortran_order is neither True nor False");
}

/* Returns which key this is; KEYS: none of them. */
static int take_key(literal *l)
{
    const char *text;
    size_t length;
    if (!take_text(l, &text, &length) || !skip(l, ':'))
        return KEYS;
    int key = 0;
    while (key < KEYS && (strlen(keys[key]) != length || memcmp(text, keys[key], length) != 0))
        key++;
    return key;
}

static bool take_dictionary(literal *l, gb_array_head *head)
{
    bool seen[KEYS] = {false};
    if (!skip(l, '{'))
        return gb_head_fail(l->source, "its header is no dictionary of Python");
    while (!skip(l, '}')) {
        const int key = take_key(l);
        if (key == KEYS || seen[key])
            return gb_head_fail(l->source, "its header has another key than descr, fortran_order and shape, "
                                           "or one twice");
        seen[key] = true;
        if (!take_value(l, head, key))
            return false;
        skip_spaces(l);
        if (!skip(l, ',') && *l->at != '}')
            return gb_head_fail(l->source, "its header is damaged after %s", keys[key]);
    }
    skip_spaces(l);
    for (int key = 0; key < KEYS; key++)
        if (!seen[key])
            return gb_head_fail(l->source, "its header has no %s", keys[key]);
    return !*l->at || gb_head_fail(l->source, "its header has more after its end");
}

/* ---- reading ---- */

/* Reads the length of the dictionary; 0 on error. */
static size_t read_length(gb_stored *s, gb_array_head *head)
{
    enum { REST = 4, MOST = 1 << 20 };
    unsigned char rest[REST], of_length[4] = {0};
    if (!gb_head_read(s, head, rest, REST))
        return 0;
    const int version = rest[2];
    if (memcmp(rest, "PY", 2) != 0 || version < 1 || version > 3 || rest[3] != 0) {
        gb_head_fail(s, "NPY of version %d.%d, and 1.0, 2.0 and 3.0 are read", version, rest[3]);
        return 0;
    }
    if (!gb_head_read(s, head, of_length, version == 1 ? 2 : 4))
        return 0;
    const size_t length = (size_t)of_length[0] | (size_t)of_length[1] << 8 | (size_t)of_length[2] << 16 |
                          (size_t)of_length[3] << 24;
    if (length == 0 || length > MOST)
        gb_head_fail(s, "its header has %zu bytes, and should have 1 to %d", length, MOST);
    return length <= MOST ? length : 0;
}

bool gb_npy_head(gb_stored *s, gb_array_head *head)
{
    const size_t length = read_length(s, head);
    char *const text = length > 0 ? gb_memory_resize(&s->memory, NULL, length + 1) : NULL;
    if (length > 0 && !text)
        gb_fail(s->tape, GB_ENOMEM, "array: %s: out of memory", s->name);
    bool good = text && gb_head_read(s, head, text, length);
    if (good) {
        text[length] = '\0';
        literal l = {.source = s, .at = text};
        good = strlen(text) == length ? take_dictionary(&l, head)
                                      : gb_head_fail(s, "its header has a zero byte");
    }
    gb_memory_release(&s->memory, text);
    return good;
}

/* ---- writing ---- */

size_t gb_npy_begin(gb_number type, gb_shape shape, char to[GB_NPY_BEGIN])
{
    enum { BEFORE = 10, ALIGNED = 64 };
    const char order = gb_number_bytes(type) == 1 ? '|' : gb_is_little_endian() ? '<' : '>';
    size_t which = 0;
    while (types[which].type != type)
        which++;
    gb_text_writer w = {.text = to + BEFORE, .bytes = GB_NPY_BEGIN - BEFORE};
    char part[64];
    snprintf(part, sizeof part, "{'descr': '%c%s', 'fortran_order': False, 'shape': (", order,
             types[which].text);
    gb_text_put(&w, part);
    for (int i = 0; i < shape.rank; i++) {
        snprintf(part, sizeof part, "%lld%s", (long long)shape.size[i],
                 shape.rank == 1      ? ","
                 : i + 1 < shape.rank ? ", "
                                      : "");
        gb_text_put(&w, part);
    }
    gb_text_put(&w, "), }");
    const size_t bytes = (BEFORE + w.length + 1 + ALIGNED - 1) / ALIGNED * ALIGNED, length = bytes - BEFORE;
    const unsigned char before[BEFORE] = {
        0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)(length & 255), (unsigned char)(length >> 8)};
    memcpy(to, before, BEFORE);
    memset(to + BEFORE + w.length, ' ', length - w.length);
    to[bytes - 1] = '\n';
    return bytes;
}
