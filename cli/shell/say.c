/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/shell/say.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/ground/text_impl.h"

enum { FEW = 12, MOST = 8192 };

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

/* What the user gave may contain what a terminal would obey. */
static void put_visibly(FILE *file, const char *text, size_t length)
{
    char letter[GB_LETTER_TEXT];
    for (size_t left = length, bytes; left > 0; text += bytes, left -= bytes) {
        bytes = gb_text_letter(text, left, letter);
        fputs(letter, file);
    }
}

static GB_PRINTF(1, 0) void say(const char *format, va_list values)
{
    char text[MOST];
    const int length = vsnprintf(text, sizeof text, format, values);
    begin();
    put_visibly(stderr, text, strlen(text));
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

void gb_cli_print(FILE *file, const char *format, ...)
{
    char text[MOST];
    va_list values;
    va_start(values, format);
    const int length = vsnprintf(text, sizeof text, format, values);
    va_end(values);
    const size_t shown = strlen(text), ends = shown > 0 && text[shown - 1] == '\n';
    put_visibly(file, text, shown - ends);
    fputs(length >= MOST ? "…\n" : ends ? "\n" : "", file);
}

FILE *gb_cli_page_begin(gb_cli_page *page, FILE *file)
{
    *page = (gb_cli_page){.to = file};
    page->file = open_memstream(&page->text, &page->bytes);
    if (!page->file)
        gb_cli_reject("out of memory");
    return page->file;
}

void gb_cli_page_end(gb_cli_page *page)
{
    const bool is_whole = page->file && !ferror(page->file);
    if (page->file && fclose(page->file) == 0 && is_whole)
        gb_put_lines(page->to, page->text);
    else if (page->file)
        gb_cli_reject("out of memory");
    free(page->text);
    *page = (gb_cli_page){0};
}

static void say_name(const char *before, const char *name)
{
    fputs(before, stderr);
    put_visibly(stderr, name, strlen(name));
}

static void say_unknown(const char *what, const char *word, size_t count, const char *const *names)
{
    const char *const nearest = gb_nearest_text(word, count, names);
    begin();
    fprintf(stderr, "there is no %s ", what);
    put_visibly(stderr, word, strlen(word));
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
    case GB_EFILE:
    case GB_ESYSTEM: return GB_CLI_IO;
    default: return GB_CLI_USAGE;
    }
}
