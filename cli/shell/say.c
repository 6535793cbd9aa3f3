/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/shell/say.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/ground/text_impl.h"

enum { FEW = 12 };

const char *gb_cli_styled(FILE *file, gb_cli_style style)
{
    static const char *const escape[] = {"\033[0m", "\033[1m", "\033[32m", "\033[1;31m"};
    const char *const rejected = getenv("NO_COLOR"), *const terminal = getenv("TERM");
    const bool shows =
        isatty(fileno(file)) && !(rejected && *rejected) && terminal && strcmp(terminal, "dumb") != 0;
    return shows ? escape[style] : "";
}

static void begin(void)
{
    fflush(stdout);
    fprintf(stderr, "%sgrebe:%s ", gb_cli_styled(stderr, GB_CLI_BAD), gb_cli_styled(stderr, GB_CLI_PLAIN));
}

/* Returns the bytes of a letter above ASCII in UTF-8; 0 for a control character (up to C2 9F) and for other
 * bytes. */
static size_t bytes_of_letter(const char *text)
{
    const unsigned char first = (unsigned char)text[0];
    const size_t bytes = first < 0xC2 || first > 0xF4 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    for (size_t i = 1; i < bytes; i++)
        if (((unsigned char)text[i] & 0xC0) != 0x80)
            return 0;
    return first == 0xC2 && (unsigned char)text[1] < 0xA0 ? 0 : bytes;
}

/* What the user gave may contain control characters, which a terminal would obey. */
static void put_visibly(const char *text)
{
    while (*text) {
        const unsigned char c = (unsigned char)*text;
        const size_t bytes = c < 0x80 ? c >= ' ' && c != 127 : bytes_of_letter(text);
        if (bytes > 0)
            fwrite(text, 1, bytes, stderr);
        else if (c == '\n' || c == '\t')
            fputs(c == '\n' ? "\\n" : "\\t", stderr);
        else
            fprintf(stderr, "\\x%02x", c);
        text += bytes ? bytes : 1;
    }
}

static GB_PRINTF(1, 0) void say(const char *format, va_list values)
{
    enum { MOST = 8192 };
    char text[MOST];
    const int length = vsnprintf(text, sizeof text, format, values);
    begin();
    put_visibly(text);
    fputs(length < MOST ? "\n" : "…\n", stderr);
}

gb_cli_code gb_cli_say(gb_cli_code code, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    say(format, values);
    va_end(values);
    return code;
}

bool gb_cli_reject(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    say(format, values);
    va_end(values);
    return false;
}

static void say_name(const char *before, const char *name)
{
    fputs(before, stderr);
    put_visibly(name);
}

static void say_unknown(const char *what, const char *word, size_t count, const char *const *names)
{
    const char *const nearest = gb_nearest_text(word, count, names);
    begin();
    fprintf(stderr, "there is no %s ", what);
    put_visibly(word);
    if (nearest)
        say_name("; did you mean ", nearest);
    else if (count > 0 && count <= FEW)
        for (size_t i = 0; i < count; i++)
            say_name(i ? ", " : "; there are ", names[i]);
    fputs(nearest ? "?\n" : "\n", stderr);
}

bool gb_cli_find(const char *what, const char *word, size_t count, const char *const *names, size_t *place)
{
    for (*place = 0; *place < count; ++*place)
        if (strcmp(names[*place], word) == 0)
            return true;
    say_unknown(what, word, count, names);
    return false;
}

gb_cli_code gb_cli_code_of(gb_status status)
{
    switch (status) {
    case GB_OK: return GB_CLI_OK;
    case GB_ENONFINITE: return GB_CLI_NUMERIC;
    case GB_EFEED: return GB_CLI_DATA;
    case GB_ENOMEM:
    case GB_ESYSTEM: return GB_CLI_IO;
    default: return GB_CLI_USAGE;
    }
}
