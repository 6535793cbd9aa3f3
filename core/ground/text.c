/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ground/text_impl.h"

#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

enum { MOST_LETTERS = 64 };

/* Returns how many letters must be inserted, removed or changed (Levenshtein). */
static size_t distance(const char *a, const char *b)
{
    size_t row[MOST_LETTERS + 1];
    const size_t width = strnlen(b, MOST_LETTERS);
    for (size_t j = 0; j <= width; j++)
        row[j] = j;
    for (size_t i = 1; *a; a++, i++) {
        size_t before = row[0];
        row[0] = i;
        for (size_t j = 1; j <= width; j++) {
            const size_t changed = before + (*a != b[j - 1]);
            before = row[j];
            const size_t other = 1 + (row[j] < row[j - 1] ? row[j] : row[j - 1]);
            row[j] = changed < other ? changed : other;
        }
    }
    return row[width];
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Whether only the case of letters differs. */
static bool are_alike(const char *a, const char *b)
{
    while (*a && lower(*a) == lower(*b))
        a++, b++;
    return lower(*a) == lower(*b);
}

const char *gb_nearest_text(const char *text, size_t count, const char *const *names)
{
    for (size_t i = 0; text && i < count; i++)
        if (are_alike(text, names[i]))
            return names[i];
    const char *nearest = NULL;
    const size_t length = text ? strlen(text) : 0;
    size_t least = (length + 1) / 2;
    for (size_t i = 0; text && i < count; i++) {
        const bool begins = *text && strncmp(names[i], text, length) == 0;
        if (!begins && length > MOST_LETTERS + least) /* letters that at least must be removed */
            continue;
        const size_t changes = begins ? 0 : distance(text, names[i]);
        const bool keeps_some = changes < length || changes < strlen(names[i]);
        if (changes > least || (nearest && changes == least) || (!begins && !keeps_some))
            continue;
        least = changes;
        nearest = names[i];
    }
    return nearest;
}

/* ---- numbers ---- */

/* A decimal number: [sign] digits [. digits] [e [sign] digits], with a digit before the e. */
typedef struct decimal {
    const char *text;
    size_t at, length;
    uint64_t digits; /* mantissa · 10^exponent, if there are at most MOST_DIGITS */
    int significant, exponent;
} decimal;

enum { MOST_DIGITS = 19, MOST_EXPONENT = 100000 };

/* Reads digits, and returns how many there are. */
static size_t take_digits(decimal *d)
{
    const size_t begin = d->at;
    for (; d->at < d->length && d->text[d->at] >= '0' && d->text[d->at] <= '9'; d->at++)
        if (d->significant > 0 || d->text[d->at] > '0') {
            d->significant += d->significant <= MOST_DIGITS;
            d->digits = d->digits * 10 + (uint64_t)(d->text[d->at] - '0'); /* may overflow: then not used */
        }
    return d->at - begin;
}

static bool take_sign(decimal *d)
{
    const char c = d->at < d->length ? d->text[d->at] : '\0';
    d->at += c == '+' || c == '-';
    return c == '-';
}

static bool take_exponent(decimal *d)
{
    d->at++;
    const bool is_negative = take_sign(d);
    const size_t begin = d->at;
    int exponent = 0;
    for (; d->at < d->length && d->text[d->at] >= '0' && d->text[d->at] <= '9'; d->at++)
        exponent = exponent < MOST_EXPONENT ? exponent * 10 + (d->text[d->at] - '0') : exponent;
    d->exponent += is_negative ? -exponent : exponent;
    return d->at > begin;
}

/* Returns false if the text is not such a number. strtod also accepts spaces, hexadecimals and words. */
static bool take_decimal(decimal *d)
{
    const size_t whole = take_digits(d);
    size_t fraction = 0;
    if (d->at < d->length && d->text[d->at] == '.') {
        d->at++;
        fraction = take_digits(d);
        d->exponent = fraction < MOST_EXPONENT ? -(int)fraction : -MOST_EXPONENT;
    }
    if (whole + fraction == 0)
        return false;
    const bool has_exponent = d->at < d->length && (d->text[d->at] == 'e' || d->text[d->at] == 'E');
    return (!has_exponent || take_exponent(d)) && d->at == d->length;
}

/* The product or quotient of two doubles that are exact is rounded once (Clinger 1990). Returns false if they
 * are not. */
static bool read_short(const decimal *d, double *value)
{
    static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const int most = sizeof power / sizeof *power - 1;
    if (d->significant > MOST_DIGITS || d->digits > (uint64_t)1 << 53 || d->exponent < -most ||
        d->exponent > most)
        return false;
    *value =
        d->exponent < 0 ? (double)d->digits / power[-d->exponent] : (double)d->digits * power[d->exponent];
    return true;
}

/* Up to 19 digits, times or divided by a power of 5 that has 64 bits: one division of integers of 128 bits is
 * exact but for its rest, which becomes the last bit. Then the number is rounded once, to a double. */
static bool read_medium(const decimal *d, double *value)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 wide;
    enum { MOST = 27 }; /* 5^27 < 2^63 */
    if (d->significant > MOST_DIGITS || d->digits == 0 || d->exponent < -MOST || d->exponent > MOST)
        return false;
    uint64_t five = 1, digits = d->digits;
    for (int i = d->exponent < 0 ? -d->exponent : d->exponent; i > 0; i--)
        five *= 5;
    if (d->exponent >= 0) {
        *value = ldexp((double)((wide)digits * five), d->exponent);
        return true;
    }
    int shift = 64;
    for (; !(digits >> 63); shift++)
        digits <<= 1;
    const wide number = (wide)digits << 64, quotient = number / five;
    *value = ldexp((double)(quotient | (quotient * five != number)), d->exponent - shift);
    return true;
#else
    (void)d, (void)value;
    return false;
#endif
}

/* In the C locale, whatever the user's is. Returns false if the number is not finite, or is not 0 and too
 * small. */
static bool read_long(const decimal *d, double *value)
{
    char *end;
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* glibc has it ready */
    const locale_t before = plain ? uselocale(plain) : (locale_t)0;
    *value = strtod(d->text, &end);
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
    const bool underflows = *value == 0 && d->significant > 0;
    return end == d->text + d->length && isfinite(*value) && !underflows;
}

bool gb_text_number(const char *text, size_t length, double *value)
{
    decimal d = {.text = text, .length = length};
    const bool is_negative = take_sign(&d);
    if (!take_decimal(&d))
        return false;
    if (!read_short(&d, value) && !read_medium(&d, value))
        return read_long(&d, value);
    *value = is_negative ? -*value : *value;
    return true;
}

const char *gb_number_text(double value, char text[GB_NUMBER_TEXT])
{
    double back;
    int digits_needed = 6;
    do
        snprintf(text, GB_NUMBER_TEXT, "%.*g", digits_needed, value);
    while (++digits_needed <= 17 && (sscanf(text, "%lf", &back) != 1 || back < value || back > value));
    char *const point = text + strspn(text, "0123456789-+e"); /* or the user's decimal separator */
    if (isfinite(value) && *point) {
        const size_t rest = strcspn(point, "0123456789");
        *point = '.';
        memmove(point + 1, point + rest, strlen(point + rest) + 1);
    }
    return text;
}

void gb_text_put(gb_text_writer *writer, const char *text)
{
    if (writer->length < writer->bytes)
        snprintf(writer->text + writer->length, writer->bytes - writer->length, "%s", text);
    writer->length += strlen(text);
}

/* ---- what a terminal would obey ---- */

/* Returns the number of bytes of the letter that begins with these two in UTF-8; 0 if none does. */
static size_t bytes_of_letter(unsigned char first, unsigned char second)
{
    const unsigned char low = first == 0xE0   ? 0xA0
                              : first == 0xF0 ? 0x90
                                              : 0x80,
                        high = first == 0xED   ? 0x9F
                               : first == 0xF4 ? 0x8F
                                               : 0xBF;
    if (first < 0x80)
        return 1;
    if (first < 0xC2 || first > 0xF4 || second < low || second > high)
        return 0;
    return first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

/* Control characters, ends of lines and paragraphs (U+2028, U+2029), marks of the direction (U+061C, U+200E,
 * U+200F, U+202A to U+202E, U+2066 to U+2069), and U+FFFE and U+FFFF, which are no letters. */
static bool is_obeyed(uint32_t letter)
{
    return letter < ' ' || (letter >= 0x7F && letter < 0xA0) || letter == 0x61C || letter == 0x200E ||
           letter == 0x200F || (letter >= 0x2028 && letter <= 0x202E) ||
           (letter >= 0x2066 && letter <= 0x2069) || letter == 0xFFFE || letter == 0xFFFF;
}

size_t gb_text_letter(const char *text, size_t length, char shown[GB_LETTER_TEXT])
{
    const unsigned char *const at = (const unsigned char *)text;
    const size_t bytes = bytes_of_letter(at[0], length > 1 ? at[1] : 0);
    uint32_t letter = bytes > 1 ? at[0] & (0x7Fu >> bytes) : at[0];
    bool is_shown = bytes > 0 && bytes <= length;
    for (size_t i = 1; i < bytes && is_shown; i++) {
        letter = letter << 6 | (at[i] & 0x3Fu);
        is_shown = (at[i] & 0xC0) == 0x80;
    }
    if (is_shown && !is_obeyed(letter)) {
        memcpy(shown, text, bytes);
        shown[bytes] = '\0';
        return bytes;
    }
    if (*text == '\n' || *text == '\t')
        snprintf(shown, GB_LETTER_TEXT, *text == '\n' ? "\\n" : "\\t");
    else
        snprintf(shown, GB_LETTER_TEXT, "\\x%02x", at[0]);
    return 1;
}

bool gb_text_show(const char *text, size_t length, size_t most, char *shown)
{
    size_t used = 0;
    *shown = '\0';
    for (size_t at = 0; at < length;) {
        char letter[GB_LETTER_TEXT];
        at += gb_text_letter(text + at, length - at, letter);
        if (used + strlen(letter) > most)
            return false;
        strcpy(shown + used, letter);
        used += strlen(letter);
    }
    return true;
}

void gb_put_lines(FILE *file, const char *text)
{
    for (size_t left = strlen(text), bytes; left > 0; text += bytes, left -= bytes) {
        char letter[GB_LETTER_TEXT];
        bytes = gb_text_letter(text, left, letter);
        fputs(*text == '\n' ? "\n" : letter, file);
    }
}

bool gb_flushed(FILE *file)
{
    return fflush(file) == 0 && !ferror(file);
}

/* The user's language changes only the point of a finite number. It is the part that is no digit, sign or
 * exponent, and may have several bytes. */
void gb_put_number(FILE *file, double value)
{
    char text[64];
    snprintf(text, sizeof text, "%.17g", value);
    if (!isfinite(value)) {
        fputs(text, file);
        return;
    }
    const size_t whole = strspn(text, "0123456789-+e");
    const char *const rest = text + whole;
    fwrite(text, 1, whole, file);
    if (*rest)
        fprintf(file, ".%s", rest + strcspn(rest, "0123456789"));
}

/* ---- texts of other programs ---- */

void gb_csv_text(FILE *file, const char *text)
{
    const size_t length = strlen(text);
    if (length > 0 && !strpbrk(text, ",\"\r\n") && *text != ' ' && text[length - 1] != ' ') {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text; text++)
        fprintf(file, *text == '"' ? "\"%c" : "%c", *text);
    fputc('"', file);
}

void gb_xml_text(FILE *file, const char *text)
{
    for (size_t left = strlen(text), bytes; left > 0; text += bytes, left -= bytes) {
        char letter[GB_LETTER_TEXT];
        bytes = gb_text_letter(text, left, letter);
        switch (*letter) {
        case '<': fputs("&lt;", file); break;
        case '>': fputs("&gt;", file); break;
        case '&': fputs("&amp;", file); break;
        default: fputs(letter, file);
        }
    }
}

/* ---- JSON ---- */

void gb_json_number(FILE *file, double value)
{
    if (isfinite(value))
        gb_put_number(file, value);
    else
        fputs("null", file);
}

void gb_json_text(FILE *file, const char *text)
{
    if (!text) {
        fputs("null", file);
        return;
    }
    fputc('"', file);
    for (size_t left = strlen(text), bytes; left > 0; text += bytes, left -= bytes) {
        char letter[GB_LETTER_TEXT];
        bytes = gb_text_letter(text, left, letter);
        if (*text == '"' || *text == '\\')
            fprintf(file, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            fprintf(file, "\\u%04x", (unsigned)(unsigned char)*text);
        else
            fprintf(file, "%s%s", *letter == '\\' ? "\\" : "", letter);
    }
    fputc('"', file);
}

void gb_json_begin(FILE *file, const char *schema)
{
    fprintf(file, "{\"schema\": \"%s\"", schema);
}
