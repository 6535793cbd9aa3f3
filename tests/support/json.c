/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support/json.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 32 };

static const char *blanks(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* Each of these returns what comes after, NULL where the text is wrong. */

static const char *string(const char *at)
{
    if (*at++ != '"')
        return NULL;
    for (; *at != '"'; at++) {
        if ((unsigned char)*at < ' ')
            return NULL;
        if (*at != '\\')
            continue;
        at++;
        if (*at == 'u' && strspn(at + 1, "0123456789abcdefABCDEF") >= 4)
            at += 4;
        else if (!*at || !strchr("\"\\/bfnrt", *at))
            return NULL;
    }
    return at + 1;
}

static const char *digits(const char *at)
{
    const size_t count = strspn(at, "0123456789");
    return count ? at + count : NULL;
}

static const char *number(const char *at)
{
    at += *at == '-';
    at = *at == '0' ? at + 1 : digits(at);
    if (at && *at == '.')
        at = digits(at + 1);
    if (!at || (*at != 'e' && *at != 'E'))
        return at;
    at++;
    return digits(at + (*at == '+' || *at == '-'));
}

static const char *word(const char *at)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < 3; i++)
        if (strncmp(at, words[i], strlen(words[i])) == 0)
            return at + strlen(words[i]);
    return NULL;
}

static const char *value(const char *at, int depth);

/* The rest of an object or array, after its bracket. */
static const char *members(const char *at, char end, int depth)
{
    at = blanks(at);
    if (*at == end)
        return at + 1;
    for (;;) {
        if (end == '}' && (!(at = string(at)) || *(at = blanks(at)) != ':'))
            return NULL;
        at = value(blanks(at + (end == '}')), depth + 1);
        if (!at)
            return NULL;
        at = blanks(at);
        if (*at == end)
            return at + 1;
        if (*at != ',')
            return NULL;
        at = blanks(at + 1);
    }
}

static const char *value(const char *at, int depth)
{
    if (depth > DEEPEST)
        return NULL;
    switch (*at) {
    case '{': return members(at + 1, '}', depth);
    case '[': return members(at + 1, ']', depth);
    case '"': return string(at);
    case 't':
    case 'f':
    case 'n': return word(at);
    default: return number(at);
    }
}

bool json_is_valid(const char *text)
{
    const char *const end = value(blanks(text), 0);
    return end && *blanks(end) == '\0';
}

/* ---- looking in what is valid ---- */

/* The member of that key or number, `length` letters of it. */
static const char *member(const char *at, const char *key, size_t length)
{
    const bool object = *at == '{';
    long number = object ? -1 : strtol(key, NULL, 10);
    if (*at != '{' && *at != '[')
        return NULL;
    for (at = blanks(at + 1); *at != '}' && *at != ']'; at = blanks(at + (*at == ','))) {
        bool found = !object && number-- == 0;
        if (object) {
            const char *const end = string(at);
            found = (size_t)(end - at) == length + 2 && strncmp(at + 1, key, length) == 0;
            at = blanks(blanks(end) + 1);
        }
        if (found)
            return at;
        at = blanks(value(at, 0));
    }
    return NULL;
}

const char *json_find(const char *text, const char *path)
{
    const char *at = blanks(text);
    while (at && *path) {
        const size_t length = strcspn(path, ".");
        at = member(at, path, length);
        path += length + (path[length] == '.');
    }
    return at;
}

double json_number(const char *text, const char *path)
{
    const char *const at = json_find(text, path);
    return at && (*at == '-' || (*at >= '0' && *at <= '9')) ? strtod(at, NULL) : (double)NAN;
}

int json_count(const char *text, const char *path)
{
    char longer[256];
    int count = 0;
    const char *const at = json_find(text, path);
    if (!at || *at != '[')
        return -1;
    do
        snprintf(longer, sizeof longer, "%s%s%d", path, *path ? "." : "", count++);
    while (json_find(text, longer));
    return count - 1;
}
