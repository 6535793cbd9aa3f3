/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all plug-ins share: a const struct of functions, one table of options, a text form, and a list of each
 * kind.
 *
 * Estimators, baselines, posterior families, optimisers, schedules and bounds are *kinds* of plug-ins. A
 * value of a kind, {type, options}, selects a plug-in; gb_score(.baseline = gb_leave_one_out()) returns a
 * gb_estimator. A value can be copied and returned: it contains all its options, including those of nested
 * plug-ins, and no pointer to memory of the caller. The value of every kind has 256 bytes, but a gb_family
 * has 320, since it has a shape too. These sizes do not change within a soname.
 *
 * The type describes its options in one table. Defaults, checks, listings and the text form are derived from
 * the table:
 *
 *     score:baseline=constant(0.5)    rebar:learn    adam:lr=0.01:schedule=cosine(5000:end=0.1)
 *
 * The text form is NAME, then options after colons. The options of a nested plug-in stand in parentheses. A
 * flag alone means "yes". An argument (the 5000 above) needs no name. In a struct of options, 0 stands for
 * the default.
 *
 * Plug-ins of your own get such names too, from the program or from a file: bundle.h. */
#ifndef GREBE_PLUGINS_PLUGIN_H
#define GREBE_PLUGINS_PLUGIN_H

#include <stddef.h>

#include "../core/options.h"
#include "domain.h"

GB_BEGIN_DECLS

/* True if the slot is not NULL, and the size in front of `type` says that the struct contains it. So nothing
 * is read of a struct whose size was forgotten or is too small. */
#define GB_HAS(type, slot)                                                                                   \
    ((type)->size >= (size_t)((const char *)(&(type)->slot + 1) - (const char *)(type)) &&                   \
     (type)->slot != NULL)

typedef struct gb_plugin gb_plugin;
typedef struct gb_option gb_option;
typedef struct gb_kind gb_kind;

/* The first fields of the type struct of every plug-in. */
#define GB_PLUGIN_HEAD                                                                                       \
    size_t size;                 /* REQUIRED: sizeof of the whole type struct */                             \
    const char *name;            /* REQUIRED: lower case, with underscores */                                \
    const char *formula;         /* REQUIRED: one line for a reader */                                       \
    const char *cite;            /* OPTIONAL: the publication. NULL: none */                                 \
    const gb_option *options;    /* OPTIONAL: the table of options, ended by {0}. NULL: no options */        \
    size_t option_bytes;         /* REQUIRED with options: sizeof of the options struct */                   \
    const void *head_reserved[2] /* 0: for slots of later versions */

/* The head of any type, for functions that take all kinds: a pointer to a gb_estimator_type can be read as a
 * pointer to a gb_plugin. */
struct gb_plugin {
    GB_PLUGIN_HEAD;
};

/* ---- the table of options ---- */

/* The type of a field of an options struct. */
typedef enum gb_option_form {
    GB_OPTION_IS_NODE,   /* a gb_node. As text: a number, or several separated by commas; needs a tape */
    GB_OPTION_IS_NUMBER, /* a double */
    GB_OPTION_IS_WHOLE,  /* an int64_t */
    GB_OPTION_IS_FLAG,   /* a bool. As text "yes" or "no"; the name alone means yes */
    GB_OPTION_IS_CHOICE, /* an enum: the index of one of `choices` */
    GB_OPTION_IS_PLUGIN, /* a plug-in of `kind`, by value: a gb_baseline, a gb_schedule */
    GB_OPTION_IS_OTHER   /* `bytes` of another type without padding (a function, a pointer); no text form */
} gb_option_form;

struct gb_option {
    const char *name;        /* NULL ends the table */
    const gb_domain *domain; /* OPTIONAL: the allowed values of a number or node. NULL: all */
    gb_option_form form;
    size_t offset;              /* in bytes, within the options struct */
    size_t bytes;               /* size of the field, for GB_OPTION_IS_OTHER only */
    double fallback;            /* default of a number; a 0 in the struct stands for it */
    const void *fallback_type;  /* default of a plug-in: its type, without options. NULL: none */
    const char *const *choices; /* ended by NULL; the first is the default */
    const gb_kind *kind;        /* of a nested plug-in */
    const char *words;          /* description for the reader */
    bool is_argument;           /* required argument of the constructor; its name may be omitted in a text */
    bool is_optional;           /* the argument may be omitted: then `fallback` holds */
    GB_RESERVE(2);
};

/* The place of a field; does not compile if its type is another. */
#define GB_OPTION_OFFSET(options_, field, type_)                                                             \
    _Generic(((options_ *)0)->field, type_ : offsetof(options_, field))

/* Rows of a table: the option has the name of the field. The rows with a fixed type do not compile if the
 * field has another type. */
#define GB_OPTION_NUMBER(options_, field, fallback_, domain_, words_)                                        \
    {                                                                                                        \
        .name = #field, .domain = (domain_), .form = GB_OPTION_IS_NUMBER,                                    \
        .offset = GB_OPTION_OFFSET(options_, field, double), .fallback = (fallback_), .words = (words_)      \
    }
#define GB_OPTION_WHOLE(options_, field, fallback_, domain_, words_)                                         \
    {                                                                                                        \
        .name = #field, .domain = (domain_), .form = GB_OPTION_IS_WHOLE,                                     \
        .offset = GB_OPTION_OFFSET(options_, field, int64_t), .fallback = (fallback_), .words = (words_)     \
    }
#define GB_OPTION_FLAG(options_, field, words_)                                                              \
    {                                                                                                        \
        .name = #field, .form = GB_OPTION_IS_FLAG, .offset = GB_OPTION_OFFSET(options_, field, bool),        \
        .words = (words_)                                                                                    \
    }
#define GB_OPTION_CHOICE(options_, field, choices_, words_)                                                  \
    {                                                                                                        \
        .name = #field, .form = GB_OPTION_IS_CHOICE,                                                         \
        .offset = offsetof(options_, field) + GB_OPTION_HAS_SIZE(options_, field, sizeof(int)),              \
        .choices = (choices_), .words = (words_)                                                             \
    }
/* `kind_` is the prefix of the kind, such as gb_schedule. */
#define GB_OPTION_PLUGIN(options_, field, kind_, fallback_type_, words_)                                     \
    {                                                                                                        \
        .name = #field, .form = GB_OPTION_IS_PLUGIN, .offset = GB_OPTION_OFFSET(options_, field, kind_),     \
        .kind = &kind_##_kind, .fallback_type = (fallback_type_), .words = (words_)                          \
    }
#define GB_OPTION_NODE(options_, field, words_)                                                              \
    {                                                                                                        \
        .name = #field, .form = GB_OPTION_IS_NODE, .offset = GB_OPTION_OFFSET(options_, field, gb_node),     \
        .words = (words_)                                                                                    \
    }
#define GB_OPTION_OTHER(options_, field, words_)                                                             \
    {                                                                                                        \
        .name = #field, .form = GB_OPTION_IS_OTHER, .offset = offsetof(options_, field),                     \
        .bytes = sizeof(((options_ *)0)->field), .words = (words_)                                           \
    }
/* 0; does not compile for a field of another size. */
#define GB_OPTION_HAS_SIZE(options_, field, bytes_)                                                          \
    (0 * sizeof(char[sizeof(((options_ *)0)->field) == (bytes_) ? 1 : -1]))
/* An argument of the constructor that is a number. */
#define GB_OPTION_ARGUMENT(options_, field, domain_, words_)                                                 \
    {                                                                                                        \
        .name = #field, .domain = (domain_), .form = GB_OPTION_IS_NUMBER,                                    \
        .offset = GB_OPTION_OFFSET(options_, field, double), .words = (words_), .is_argument = true          \
    }

/* Returns the size of the field of an option in bytes. */
GB_API size_t gb_option_bytes(const gb_option *option);

/* ---- options in a value ---- */

/* A value holds 247 bytes of options that are not at their defaults. Each takes 1 byte and the bytes of its
 * field: a number 9, a flag 2, a nested plug-in 10 and its own options. An options struct has at most 2048
 * bytes and 64 rows. */
enum { GB_PACKED_BYTES = 247, GB_PLUGIN_BYTES = 256, GB_OPTION_BLOCK_BYTES = 2048, GB_MOST_OPTIONS = 64 };

/* The options of a plug-in as stored in its value: those that differ from their defaults, nested ones
 * included. */
typedef struct gb_packed {
    unsigned char used;
    unsigned char bytes[GB_PACKED_BYTES];
} gb_packed;

/* Room for any options struct. */
typedef union gb_option_block {
    unsigned char bytes[GB_OPTION_BLOCK_BYTES];
    double aligned;
    void *aligned_too;
} gb_option_block;

/* Packs an options struct of `type` into a value; for constructors. The struct begins with its size; NULL
 * means all defaults. If the options do not fit, or the struct has no size, the result is marked, and
 * gb_options_fit rejects it. */
GB_API gb_packed gb_options_pack(const void *type, const void *options);

/* Unpacks to an options struct, with defaults filled in: gb_options_use into `block`, for a plug-in that is
 * about to be called. It returns NULL if the type is NULL or the options do not fit, and records the error
 * "WHAT NAME: …" on the tape; NAME may be NULL. */
GB_API const void *gb_options_use(gb_tape *tape, const char *what, const char *name, const gb_kind *kind,
                                  const void *type, const gb_packed *packed, gb_option_block *block);

/* The same for options that are known to fit: gb_options_unpack into `block`, gb_options_keep into
 * memory of the tape. A type without options gives a struct that only has a size. gb_options_keep returns
 * NULL when out of memory; the error is on the tape. */
GB_API const void *gb_options_unpack(const void *type, const gb_packed *packed, gb_option_block *block);
GB_API const void *gb_options_keep(gb_tape *tape, const void *type, const gb_packed *packed);

/* Returns whether two values of the same type have the same options. */
GB_API bool gb_options_same(const gb_packed *a, const gb_packed *b);

/* Returns whether the type struct of a member of `kind` is complete: its size and its name, what its kind
 * requires, and its table of options. If not, writes the reason into `fault` (of `bytes`). */
GB_API bool gb_plugin_fits(const gb_kind *kind, const void *type, char *fault, size_t bytes);

/* Returns whether numbers and choices are in their domains, including those of nested plug-ins. If not,
 * writes the reason into `fault` (of `bytes`), such as "rebar: temperature is -1, and must be from 0.001 to
 * 1000". */
GB_API bool gb_options_fit(const void *type, const gb_packed *packed, char *fault, size_t bytes);

/* Calls `visit` for the type of a value of `kind`, and for those of the plug-ins in its options, from the
 * outside in. Does nothing for a value without a type, or with options that do not fit. */
GB_API void gb_plugin_visit(const gb_kind *kind, const void *type, const gb_packed *packed,
                            void (*visit)(void *user, const gb_kind *kind, const gb_plugin *type),
                            void *user);

/* ---- kinds ---- */

struct gb_kind {
    size_t size;      /* REQUIRED: sizeof(gb_kind) */
    const char *name; /* REQUIRED: "estimator" */
    /* REQUIRED: returns built-in member `i`; NULL beyond the last. */
    const gb_plugin *(*at)(size_t i);
    const char *const (*words)[2]; /* OPTIONAL: other words for some names, {word, name}, ended by {NULL} */
    size_t type_bytes;             /* sizeof the type struct of a member. 0: its size is not checked */
    bool has_text;                 /* its members have a text form: they are values {type, options} */
    bool no_options; /* type structs of its members begin with size, name and formula only (operations) */
    /* OPTIONAL: returns what the type struct of a member lacks, such as "draw"; NULL: nothing. */
    const char *(*missing)(const gb_plugin *type);
    GB_RESERVE(8);
};

/* Returns member `i`; NULL beyond the last. The built-in members come first, then those that were added
 * (bundle.h). */
GB_API const gb_plugin *gb_kind_at(const gb_kind *kind, size_t i);

/* Returns the member of that name or other word, added ones included; NULL if there is none. */
GB_API const gb_plugin *gb_kind_find(const gb_kind *kind, const char *name);

/* Returns where a type of that kind was added from: the path that gb_bundle_load was given; "" for one that
 * the program added; NULL for one that is built in, or unknown. */
GB_API const char *gb_kind_origin(const gb_kind *kind, const void *type);

/* Returns the name among `count` that is most similar to `text`, for messages ("did you mean …?"); NULL if
 * none is similar. */
GB_API const char *gb_nearest_name(const char *text, size_t count, const char *const *names);

/* Declares the functions that each kind has. GB_DEFINE_KIND defines them from the arrays PREFIX_types and
 * PREFIX_words and the function PREFIX_missing (gb_kind.missing) of a source file. For the prefix
 * gb_estimator and the plural gb_estimators:
 *     gb_estimators(&count)         the built-in members: a constant list of pointers to types; `count` may
 *                                   be NULL
 *     gb_estimator_find(name)       the member of that name, added ones included; NULL if there is none
 *     gb_estimator_kind             the kind, for tables of options
 *     gb_estimator_parse(text, &value, error, bytes)
 *                                   reads the text form (gb_plugin_parse); on failure the value has type NULL
 *     gb_estimator_text(value, text, bytes)
 *                                   writes the text form (gb_plugin_text) */
#define GB_DECLARE_KIND(prefix, plural)                                                                      \
    GB_DECLARE_KIND_LIST(prefix, plural)                                                                     \
    GB_API bool prefix##_parse(const char *text, prefix *value, char *error, size_t bytes);                  \
    GB_API size_t prefix##_text(prefix value, char *text, size_t bytes);
#define GB_DEFINE_KIND(prefix, plural, word)                                                                 \
    GB_DEFINE_KIND_LIST(prefix, plural, word, true, prefix##_missing)                                        \
    bool prefix##_parse(const char *text, prefix *value, char *error, size_t bytes)                          \
    {                                                                                                        \
        const gb_plugin *type;                                                                               \
        prefix unasked;                                                                                      \
        value = value ? value : &unasked;                                                                    \
        *value = (prefix){0};                                                                                \
        const bool is_read = gb_plugin_parse(&prefix##_kind, text, &type, &value->options, error, bytes);    \
        value->type = (const void *)type;                                                                    \
        return is_read;                                                                                      \
    }                                                                                                        \
    size_t prefix##_text(prefix value, char *text, size_t bytes)                                             \
    {                                                                                                        \
        return gb_plugin_text(value.type, &value.options, text, bytes);                                      \
    }

/* Like GB_DECLARE_KIND and GB_DEFINE_KIND, but without a text form. */
#define GB_DECLARE_KIND_LIST(prefix, plural)                                                                 \
    GB_API extern const gb_kind prefix##_kind;                                                               \
    GB_API const prefix##_type *const *plural(size_t *count);                                                \
    GB_API const prefix##_type *prefix##_find(const char *name);
#define GB_DEFINE_KIND_LIST(prefix, plural, word, has_text_, missing_)                                       \
    GB_DEFINE_KIND_OF(prefix, prefix##_type, plural, word, .has_text = has_text_, .missing = missing_)
/* The same for a type struct of any name, and with further fields of the kind. */
#define GB_DEFINE_KIND_OF(prefix, type_, plural, word, ...)                                                  \
    static const gb_plugin *prefix##_at(size_t i)                                                            \
    {                                                                                                        \
        size_t count;                                                                                        \
        const type_ *const *const all = plural(&count);                                                      \
        return i < count ? (const void *)all[i] : NULL;                                                      \
    }                                                                                                        \
    const gb_kind prefix##_kind = {.size = sizeof(gb_kind),                                                  \
                                   .name = word,                                                             \
                                   .at = prefix##_at,                                                        \
                                   .words = prefix##_words,                                                  \
                                   .type_bytes = sizeof(type_),                                              \
                                   __VA_ARGS__};                                                             \
    const type_ *const *plural(size_t *count)                                                                \
    {                                                                                                        \
        if (count)                                                                                           \
            *count = sizeof prefix##_types / sizeof *prefix##_types;                                         \
        return prefix##_types;                                                                               \
    }                                                                                                        \
    const type_ *prefix##_find(const char *name)                                                             \
    {                                                                                                        \
        return (const void *)gb_kind_find(&prefix##_kind, name);                                             \
    }

/* ---- text ---- */

/* Reads "NAME:OPTION=VALUE…". The whole text must be valid. On failure, returns false, sets `type` to NULL,
 * and writes the reason into `error` (of `bytes`), with the most similar name if a name is unknown. */
GB_API bool gb_plugin_parse(const gb_kind *kind, const char *text, const gb_plugin **type, gb_packed *packed,
                            char *error, size_t bytes);

/* Reads "OPTION=VALUE…", without a name, into an options struct or into parameters, which have room for all
 * rows of the table. Options that the text does not name get their defaults; the size of the struct is not
 * touched. Numbers for nodes are recorded on `tape`; with a NULL tape, nodes are rejected. `owner`
 * is the name shown in messages. Returns false and writes `error` as gb_plugin_parse does. */
GB_API bool gb_options_parse(const char *owner, const gb_option *options, const char *text, gb_tape *tape,
                             void *struct_of_options, char *error, size_t bytes);

/* Writes the text that gb_plugin_parse reads, omitting options at their defaults. Writes at most `bytes`,
 * including the final 0. Returns the length of the whole text, as snprintf does. An option without a text
 * form is written as OPTION=?, which cannot be read back. */
GB_API size_t gb_plugin_text(const void *type, const gb_packed *packed, char *text, size_t bytes);

GB_END_DECLS
#endif
