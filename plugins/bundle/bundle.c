/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adding a bundle: all checks come first, so that all of it is added, or nothing. */
#include "plugins/bundle/bundle_impl.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "plugins/options/added_impl.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of adding; look-ups need none */

typedef struct adding {
    const gb_bundle *bundle;
    char *error;
    size_t bytes;
} adding;

static gb_status GB_PRINTF(3, 4) fail(const adding *a, gb_status status, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    vsnprintf(a->error, a->bytes, format, words);
    va_end(words);
    return status;
}

/* ---- the bundle ---- */

/* A library runs what was compiled with its own headers, or with older ones of the same minor version. */
static bool is_of_this_version(const gb_bundle *b)
{
    return b->major == GB_VERSION_MAJOR && b->minor == GB_VERSION_MINOR && b->patch <= GB_VERSION_PATCH;
}

static gb_status head_fits(const adding *a)
{
    const gb_bundle *const b = a->bundle;
    if (!b)
        return fail(a, GB_EARGUMENT, "the bundle is NULL");
    if (!is_of_this_version(b))
        return fail(
            a, GB_EARGUMENT,
            "it was compiled with the headers of grebe %d.%d.%d, and this is grebe %s: compile it again",
            b->major, b->minor, b->patch, gb_version());
    if (b->size != sizeof *b)
        return fail(a, GB_EARGUMENT, "its bundle has the size %zu, and must have %zu: use GB_BUNDLE", b->size,
                    sizeof *b);
    if (b->library != gb_version)
        return fail(
            a, GB_EARGUMENT,
            "it calls another copy of grebe than this program: link both to the shared library, -lgrebe");
    if (b->count == 0 || !b->member)
        return fail(a, GB_EARGUMENT, "its bundle has no members");
    return GB_OK;
}

/* ---- its members ---- */

/* Texts, lists and files must tell a name from what is around it. In a text, "none" is no plug-in. */
static bool is_a_name(const char *name)
{
    const size_t length = strlen(name);
    return name[0] >= 'a' && name[0] <= 'z' && length < 64 && strcmp(name, "none") != 0 &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") == length;
}

static bool is_other_word(const gb_kind *kind, const char *name)
{
    for (size_t i = 0; kind->words && kind->words[i][0]; i++)
        if (strcmp(kind->words[i][0], name) == 0)
            return true;
    return false;
}

/* Whether another type has the name: one that look-ups know, or an earlier one of the bundle. */
static bool is_taken(const gb_bundle *b, size_t which, const char *name)
{
    const gb_bundle_member *const m = &b->member[which];
    const gb_plugin *const there = gb_kind_find(m->kind, name);
    if ((there && there != m->type) || is_other_word(m->kind, name))
        return true;
    for (size_t i = 0; i < which; i++) {
        const gb_plugin *const earlier = b->member[i].type;
        if (b->member[i].kind == m->kind && earlier != m->type && strcmp(earlier->name, name) == 0)
            return true;
    }
    return false;
}

static gb_status member_fits(const adding *a, size_t which)
{
    const gb_bundle_member *const m = &a->bundle->member[which];
    const gb_plugin *const type = m->type;
    char fault[256];
    if (!m->kind || m->kind->size != sizeof *m->kind)
        return fail(a, GB_EARGUMENT, "member %zu has no kind, as &gb_estimator_kind", which + 1);
    if (!gb_plugin_fits(m->kind, type, fault, sizeof fault))
        return fail(a, GB_EARGUMENT, "%s %s", m->kind->name, fault);
    if (!type->formula || !*type->formula)
        return fail(a, GB_EARGUMENT, "%s %s: its type struct lacks formula", m->kind->name, type->name);
    if (!is_a_name(type->name))
        return fail(a, GB_EARGUMENT,
                    "%s \"%.80s\": a name begins with a letter, and has only small letters, digits, _ and -",
                    m->kind->name, type->name);
    if (is_taken(a->bundle, which, type->name))
        return fail(a, GB_EARGUMENT, "%s %s: this name is taken; give yours another one", m->kind->name,
                    type->name);
    return GB_OK;
}

/* ---- all of it ---- */

/* Those that are not there yet, once each. */
static size_t take_new(const gb_bundle *b, const char *from, gb_added *more)
{
    size_t count = 0;
    for (size_t i = 0; i < b->count; i++) {
        const gb_bundle_member *const m = &b->member[i];
        size_t before = 0;
        while (before < count && (more[before].kind != m->kind || more[before].type != m->type))
            before++;
        if (before == count && !gb_kind_origin(m->kind, m->type))
            more[count++] = (gb_added){.kind = m->kind, .type = m->type, .from = from ? from : ""};
    }
    return count;
}

static gb_status add(const adding *a, const char *from, size_t *count)
{
    static gb_added more[GB_ADDED_MOST]; /* under the lock */
    size_t there;
    gb_added_all(&there);
    gb_status status = a->bundle->count <= GB_ADDED_MOST - there
                           ? GB_OK
                           : fail(a, GB_ELIMIT, "%zu types, where there is room for %zu more of %d",
                                  a->bundle->count, GB_ADDED_MOST - there, GB_ADDED_MOST);
    for (size_t i = 0; i < a->bundle->count && status == GB_OK; i++)
        status = member_fits(a, i);
    *count = status == GB_OK ? take_new(a->bundle, from, more) : 0;
    gb_added_append(*count, more);
    return status;
}

gb_status gb_bundle_add_new(const gb_bundle *bundle, const char *from, size_t *count, char *error,
                            size_t bytes)
{
    const adding a = {.bundle = bundle, .error = error, .bytes = bytes};
    gb_status status = head_fits(&a);
    *count = 0;
    if (status != GB_OK)
        return status;
    pthread_mutex_lock(&lock);
    status = add(&a, from, count);
    pthread_mutex_unlock(&lock);
    return status;
}

gb_status gb_bundle_add(const gb_bundle *bundle, const char *from, char *error, size_t bytes)
{
    size_t count;
    return gb_bundle_add_new(bundle, from, &count, error, bytes);
}
