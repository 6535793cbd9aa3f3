/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The grammar is that of RFC 8259. */
#include "compare/stored/json_impl.h"

#include <math.h>
#include <string.h>

#include "core/ground/text_impl.h"

enum { MOST_DEPTH = 16, MOST_KEYS = 512 };

/* ---- the whole text ---- */

/* The keys of the objects that have begun, those of the innermost from `first` on. */
typedef struct keys {
    const char *at[MOST_KEYS];
    size_t count, first;
} keys;

typedef struct scan {
    const char *at, *end;
    int depth;
    keys *keys;      /* NULL: the text was checked before */
    const char *why; /* what is wrong, other than the grammar */
} scan;

static char now(const scan *s)
{
    return s->at < s->end ? *s->at : '\0';
}

static bool take(scan *s, char c)
{
    const bool is = s->at < s->end && *s->at == c;
    s->at += is;
    return is;
}

static void skip_space(scan *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\t' || *s->at == '\n' || *s->at == '\r'))
        s->at++;
}

static bool scan_word(scan *s, const char *word)
{
    while (*word && take(s, *word))
        word++;
    return *word == '\0';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool scan_digits(scan *s)
{
    const char *const begin = s->at;
    while (is_digit(now(s)))
        s->at++;
    return s->at > begin;
}

static bool scan_number(scan *s)
{
    take(s, '-');
    if (!take(s, '0') && !scan_digits(s))
        return false;
    if (take(s, '.') && !scan_digits(s))
        return false;
    if (now(s) != 'e' && now(s) != 'E')
        return true;
    s->at++;
    if (!take(s, '-'))
        take(s, '+');
    return scan_digits(s);
}

static int hex_of(char c)
{
    return is_digit(c)            ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static bool scan_escape(scan *s)
{
    const char c = now(s);
    if (c == '\0' || !strchr("\"\\/bfnrtu", c))
        return false;
    s->at++;
    for (int i = 0; c == 'u' && i < 4; i++)
        if (hex_of(now(s)) < 0)
            return false;
        else
            s->at++;
    return true;
}

static bool scan_text(scan *s)
{
    if (!take(s, '"'))
        return false;
    while (s->at < s->end && *s->at != '"') {
        if ((unsigned char)*s->at < ' ')
            return false;
        if (*s->at++ == '\\' && !scan_escape(s))
            return false;
    }
    return take(s, '"');
}

/* RFC 8259 leaves open which of two members of one name counts, so there may be none. */
static bool add_key(scan *s, const char *at)
{
    keys *const k = s->keys;
    if (!k)
        return true;
    if (k->count == MOST_KEYS)
        s->why = "an object has too many members";
    for (size_t i = k->first; i < k->count && !s->why; i++)
        if (gb_json_same_text((gb_json){.at = k->at[i]}, (gb_json){.at = at}))
            s->why = "this key is in its object twice";
    if (s->why) {
        s->at = at;
        return false;
    }
    k->at[k->count++] = at;
    return true;
}

static bool scan_value(scan *s);

static bool scan_member(scan *s)
{
    skip_space(s);
    const char *const key = s->at;
    if (!scan_text(s) || !add_key(s, key))
        return false;
    skip_space(s);
    return take(s, ':') && scan_value(s);
}

static bool scan_many(scan *s, char end, bool (*one)(scan *s))
{
    const size_t outer = s->keys ? s->keys->first : 0, before = s->keys ? s->keys->count : 0;
    s->at++;
    skip_space(s);
    if (take(s, end))
        return true;
    if (++s->depth > MOST_DEPTH)
        return false;
    if (s->keys)
        s->keys->first = before;
    do {
        if (!one(s))
            return false;
        skip_space(s);
    } while (take(s, ','));
    s->depth--;
    if (s->keys) {
        s->keys->first = outer;
        s->keys->count = before;
    }
    return take(s, end);
}

static bool scan_value(scan *s)
{
    skip_space(s);
    switch (now(s)) {
    case '{': return scan_many(s, '}', scan_member);
    case '[': return scan_many(s, ']', scan_value);
    case '"': return scan_text(s);
    case 't': return scan_word(s, "true");
    case 'f': return scan_word(s, "false");
    case 'n': return scan_word(s, "null");
    default: return scan_number(s);
    }
}

gb_json gb_json_of(const char *text, size_t bytes, size_t *wrong, const char **why)
{
    keys all = {.count = 0};
    scan s = {.at = text, .end = text + bytes, .keys = &all};
    skip_space(&s);
    const gb_json value = {.at = s.at, .end = s.end};
    bool good = now(&s) == '{' && scan_value(&s);
    if (good)
        skip_space(&s);
    good = good && s.at == s.end;
    *wrong = (size_t)(s.at - text);
    *why = s.why ? s.why : "no file of results: JSON is expected, one object";
    return good ? value : (gb_json){0};
}

/* ---- values of a text that was checked ---- */

static scan scan_of(gb_json value)
{
    return (scan){.at = value.at, .end = value.end};
}

char gb_json_kind(gb_json value)
{
    return value.at ? *value.at : '\0';
}

static gb_json value_at(scan *s)
{
    skip_space(s);
    return (gb_json){.at = s->at, .end = s->end};
}

gb_json gb_json_next(gb_json whole, gb_json before, gb_json *key)
{
    const bool is_object = gb_json_kind(whole) == '{';
    if (!is_object && gb_json_kind(whole) != '[')
        return (gb_json){0};
    scan s = scan_of(before.at ? before : whole);
    if (before.at) {
        scan_value(&s);
        skip_space(&s);
        if (!take(&s, ','))
            return (gb_json){0};
    } else
        s.at++;
    skip_space(&s);
    if (now(&s) == ']' || now(&s) == '}')
        return (gb_json){0};
    if (is_object) {
        const gb_json name = value_at(&s);
        if (key)
            *key = name;
        scan_text(&s);
        skip_space(&s);
        take(&s, ':');
    }
    return value_at(&s);
}

gb_json gb_json_member(gb_json object, const char *name)
{
    gb_json key = {0}, value = {0};
    if (gb_json_kind(object) != '{')
        return value;
    while ((value = gb_json_next(object, value, &key)).at && !gb_json_is_text(key, name)) {}
    return value;
}

gb_json gb_json_like(gb_json object, gb_json key)
{
    gb_json own = {0}, value = {0};
    while ((value = gb_json_next(object, value, &own)).at && !gb_json_same_text(own, key)) {}
    return value;
}

size_t gb_json_count(gb_json whole)
{
    size_t count = 0;
    for (gb_json value = {0}; (value = gb_json_next(whole, value, NULL)).at;)
        count++;
    return count;
}

size_t gb_json_bytes(gb_json value)
{
    scan s = scan_of(value);
    if (value.at)
        scan_value(&s);
    return (size_t)(s.at - value.at);
}

/* ---- one value ---- */

static bool is_word(gb_json value, const char *word)
{
    scan s = scan_of(value);
    return value.at && scan_word(&s, word);
}

bool gb_json_read_number(gb_json value, double *number)
{
    *number = (double)NAN;
    if (is_word(value, "null"))
        return true;
    const char kind = gb_json_kind(value);
    return (kind == '-' || is_digit(kind)) && gb_text_number(value.at, gb_json_bytes(value), number);
}

bool gb_json_read_whole(gb_json value, uint64_t *number)
{
    const size_t bytes = value.at ? gb_json_bytes(value) : 0;
    *number = 0;
    for (size_t i = 0; i < bytes; i++) {
        if (!is_digit(value.at[i]))
            return false;
        const uint64_t digit = (uint64_t)(value.at[i] - '0');
        if (*number > (UINT64_MAX - digit) / 10)
            return false;
        *number = *number * 10 + digit;
    }
    return bytes > 0;
}

bool gb_json_read_truth(gb_json value, bool *truth)
{
    *truth = is_word(value, "true");
    return *truth || is_word(value, "false");
}

/* Writes a letter in UTF-8. */
static size_t put_letter(uint32_t letter, char to[4])
{
    if (letter < 0x80) {
        to[0] = (char)letter;
        return 1;
    }
    const size_t bytes = letter < 0x800 ? 2 : letter < 0x10000 ? 3 : 4;
    static const unsigned char first[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = bytes; i-- > 1; letter >>= 6)
        to[i] = (char)(0x80 | (letter & 0x3F));
    to[0] = (char)(first[bytes] | letter);
    return bytes;
}

static uint32_t hex_letter(const char *at)
{
    uint32_t letter = 0;
    for (int i = 0; i < 4; i++)
        letter = letter << 4 | (uint32_t)hex_of(at[i]);
    return letter;
}

/* Reads what follows a backslash, and returns how many bytes; 0 if it is no letter. Letters beyond 16 bits
 * are two surrogates. */
static size_t escaped(const char *at, uint32_t *letter)
{
    static const char words[] = "\"\\/bfnrt", is[] = "\"\\/\b\f\n\r\t";
    if (*at != 'u') {
        *letter = (unsigned char)is[strchr(words, *at) - words];
        return 1;
    }
    *letter = hex_letter(at + 1);
    if (*letter < 0xD800 || *letter > 0xDFFF)
        return *letter > 0 ? 5 : 0;
    if (*letter > 0xDBFF || at[5] != '\\' || at[6] != 'u')
        return 0;
    const uint32_t low = hex_letter(at + 7);
    *letter = 0x10000 + ((*letter - 0xD800) << 10) + (low - 0xDC00);
    return low >= 0xDC00 && low <= 0xDFFF ? 11 : 0;
}

/* The bytes of a text, one by one. */
typedef struct letters {
    const char *at;
    char bytes[4]; /* of an escaped letter */
    size_t count, used;
} letters;

enum { TEXT_ENDS = -1, NO_LETTER = -2 };

static letters letters_of(gb_json value)
{
    return (letters){.at = value.at + 1};
}

static int next_byte(letters *l)
{
    uint32_t letter;
    if (l->used < l->count)
        return (unsigned char)l->bytes[l->used++];
    if (*l->at == '"')
        return TEXT_ENDS;
    if (*l->at != '\\')
        return (unsigned char)*l->at++;
    const size_t read = escaped(l->at + 1, &letter);
    if (read == 0)
        return NO_LETTER;
    l->at += read + 1;
    l->count = put_letter(letter, l->bytes);
    l->used = 1;
    return (unsigned char)l->bytes[0];
}

bool gb_json_same_text(gb_json a, gb_json b)
{
    letters one = letters_of(a), other = letters_of(b);
    int byte;
    while ((byte = next_byte(&one)) == next_byte(&other))
        if (byte < 0)
            return byte == TEXT_ENDS;
    return false;
}

bool gb_json_is_text(gb_json value, const char *text)
{
    letters l;
    if (gb_json_kind(value) != '"')
        return false;
    l = letters_of(value);
    while (*text)
        if (next_byte(&l) != (unsigned char)*text++)
            return false;
    return next_byte(&l) == TEXT_ENDS;
}

bool gb_json_read_text(gb_json value, char *text, size_t room)
{
    size_t used = 0;
    int byte;
    if (gb_json_kind(value) != '"' || room == 0)
        return false;
    letters l = letters_of(value);
    while ((byte = next_byte(&l)) >= 0) {
        if (used + 1 >= room)
            return false;
        text[used++] = (char)byte;
    }
    text[used] = '\0';
    return byte == TEXT_ENDS;
}
