/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all plug-ins have in common: a const struct of functions, options by one table, a text form, a list of its kind.
 *
 * Estimators, baselines, posterior families, optimisers, schedules and bounds are *kinds* of plug-ins. A plug-in is chosen by
 * a value of its kind, {type, options}: gb_score(.baseline = gb_constant_baseline(0.5)) is a gb_estimator. Such a value is
 * copied and returned freely: it holds all its options, those of nested plug-ins too, and points to nothing of the caller's.
 * All such values have one size, whatever their options; within a soname it does not change.
 *
 * The type describes its options once, in a table. Defaults, checks, listings and the text form come from that:
 *
 *     score:baseline=constant(0.5)      rebar:temperature=0.3:learn      adam:lr=0.01:schedule=cosine(5000:end=0.1)
 *
 * NAME, then options after colons. The options of a nested plug-in stand in parentheses. A flag alone is "yes"; an
 * argument (the 5000 above) needs no name. In a struct of options, 0 stands for the default. */
#ifndef GREBE_PLUGINS_PLUGIN_H
#define GREBE_PLUGINS_PLUGIN_H

#include <stddef.h>

#include "../core/options.h"
#include "domain.h"

GB_BEGIN_DECLS

/* True where a struct of functions is new enough to have a slot, and has it filled. */
#define GB_HAS(type, slot)                                                                                   \
    ((type)->size >= (size_t)((const char *)(&(type)->slot + 1) - (const char *)(type)) &&                   \
     (type)->slot != NULL)

typedef struct gb_plugin gb_plugin;
typedef struct gb_option gb_option;
typedef struct gb_kind gb_kind;

/* What the type struct of every plug-in begins with. */
#define GB_PLUGIN_HEAD                                                                                       \
    size_t size;              /* REQUIRED: sizeof of the whole type struct */                                \
    const char *name;         /* REQUIRED: lower case, with underscores */                                   \
    const char *formula;      /* REQUIRED: one line for a reader */                                          \
    const char *cite;         /* OPTIONAL: where it comes from. NULL: folklore */                            \
    const gb_option *options; /* OPTIONAL: its options, ended by {0}. NULL: it has none */                   \
    size_t option_bytes       /* REQUIRED with options: sizeof of its options struct */

/* Any type, for functions that take all kinds: a pointer to a gb_estimator_type is one to its gb_plugin. */
struct gb_plugin {
    GB_PLUGIN_HEAD;
};

/* ---- the table of options ---- */

/* What a field of an options struct is. */
typedef enum gb_option_form {
    GB_OPTION_IS_NODE,   /* a gb_node; as text a number, or several with commas, where there is a tape */
    GB_OPTION_IS_NUMBER, /* a double */
    GB_OPTION_IS_WHOLE,  /* an int64_t */
    GB_OPTION_IS_FLAG,   /* a bool; as text "yes" or "no", and the name alone is yes */
    GB_OPTION_IS_CHOICE, /* an enum: the number of one of `choices` */
    GB_OPTION_IS_PLUGIN, /* a plug-in of `kind`, by value: a gb_baseline, a gb_schedule */
    GB_OPTION_IS_OTHER /* `bytes` of anything else, without padding (a function, a pointer); it has no text form */
} gb_option_form;

struct gb_option {
    const char *name;        /* NULL: the table ends here */
    const gb_domain *domain; /* OPTIONAL: what a number or node must be. NULL: anything */
    gb_option_form form;
    size_t offset;              /* in the options struct */
    size_t bytes;               /* of GB_OPTION_IS_OTHER */
    double fallback;            /* a number's default, for which 0 stands */
    const void *fallback_type;  /* a plug-in's default: its type, without options. NULL: none */
    const char *const *choices; /* ended by NULL; the first one is the default */
    const gb_kind *kind;        /* of a plug-in */
    const char *words;          /* for a reader: what it is */
    bool is_argument; /* an argument of the constructor: required, and in a text its name may be left out */
    bool is_optional; /* of an argument: `fallback` holds where it is left out */
};

/* Rows of a table: the field's name is that of the option. Those that know its type do not compile for another one. */
#define GB_OPTION_NUMBER(options_, field, fallback_, domain_, words_)                                        \
    {                                                                                                        \
        .name = #field, .domain = (domain_), .form = GB_OPTION_IS_NUMBER,                                    \
        .offset = _Generic(((options_ *)0)->field, double                                                    \
                           : offsetof(options_, field)),                                                     \
        .fallback = (fallback_), .words = (words_)                                                           \
    }
#define GB_OPTION_WHOLE(options_, field, fallback_, domain_, words_)                                         \
    {                                                                                                        \
        .name = #field, .domain = (domain_), .form = GB_OPTION_IS_WHOLE,                                     \
        .offset = _Generic(((options_ *)0)->field, int64_t                                                   \
                           : offsetof(options_, field)),                                                     \
        .fallback = (fallback_), .words = (words_)                                                           \
    }
#define GB_OPTION_FLAG(options_, field, words_)                                                              \
    {                                                                                                        \
        .name = #field, .form = GB_OPTION_IS_FLAG,                                                           \
        .offset = _Generic(((options_ *)0)->field, bool                                                      \
                           : offsetof(options_, field)),                                                     \
        .words = (words_)                                                                                    \
    }
#define GB_OPTION_CHOICE(options_, field, choices_, words_)                                                  \
    {                                                                                                        \
        .name = #field, .form = GB_OPTION_IS_CHOICE,                                                         \
        .offset = offsetof(options_, field) + GB_OPTION_HAS_SIZE(options_, field, sizeof(int)),              \
        .choices = (choices_), .words = (words_)                                                             \
    }
#define GB_OPTION_PLUGIN(options_, field, kind_, fallback_type_, words_)                                     \
    {                                                                                                        \
        .name = #field, .form = GB_OPTION_IS_PLUGIN,                                                         \
        .offset = offsetof(options_, field) + GB_OPTION_HAS_SIZE(options_, field, GB_PLUGIN_BYTES),          \
        .kind = (kind_), .fallback_type = (fallback_type_), .words = (words_)                                \
    }
#define GB_OPTION_NODE(options_, field, words_)                                                              \
    {                                                                                                        \
        .name = #field, .form = GB_OPTION_IS_NODE,                                                           \
        .offset = _Generic(((options_ *)0)->field, gb_node                                                   \
                           : offsetof(options_, field)),                                                     \
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
        .offset = _Generic(((options_ *)0)->field, double                                                    \
                           : offsetof(options_, field)),                                                     \
        .words = (words_), .is_argument = true                                                               \
    }

/* ---- options in a value ---- */

enum { GB_PACKED_BYTES = 247, GB_PLUGIN_BYTES = 256, GB_OPTION_BLOCK_BYTES = 2048 };

/* The options of a plug-in as its value carries them: those that are not at their defaults, nested ones included. */
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

/* For constructors: packs an options struct of this type, which begins with its size; NULL: all defaults. Options that do
 * not fit, and a struct without a size, are marked; gb_options_fit then refuses the value. */
GB_API gb_packed gb_options_pack(const void *type, const void *options);

/* The options struct again, with defaults filled in: in `block`, or on the tape (NULL: out of memory, and the tape has the
 * error). A type without options has an empty one. */
GB_API const void *gb_options_unpack(const void *type, const gb_packed *packed, gb_option_block *block);
GB_API const void *gb_options_keep(gb_tape *tape, const void *type, const gb_packed *packed);

/* Whether two values of one type have the same options. */
GB_API bool gb_options_same(const gb_packed *a, const gb_packed *b);

/* Whether numbers and choices are in their domains, those of nested plug-ins too. False: `fault` (of `bytes`) says what is
 * wrong, as "rebar: temperature is -1, and must be from 0.001 to 1000". */
GB_API bool gb_options_fit(const void *type, const gb_packed *packed, char *fault, size_t bytes);

/* ---- kinds ---- */

struct gb_kind {
    size_t size;      /* REQUIRED: sizeof(gb_kind) */
    const char *name; /* REQUIRED: "estimator" */
    /* REQUIRED: member `i`; NULL beyond the last. */
    const gb_plugin *(*at)(size_t i);
    const char *const (*words)[2]; /* OPTIONAL: other words for some names, {word, name}, ended by {NULL} */
    GB_RESERVE(8);
};

/* The member of that name (or other word); NULL if there is none. */
GB_API const gb_plugin *gb_kind_find(const gb_kind *kind, const char *name);

/* The name among `count` that is most like `text`; NULL where none is near. For messages: "did you mean …?" */
GB_API const char *gb_nearest_name(const char *text, size_t count, const char *const *names);

/* Declares what each kind has, and defines it from the arrays `types` and `words` of a file. For PREFIX gb_estimator and
 * PLURAL gb_estimators:
 *     gb_estimators(&count)         all members: a constant list of pointers to their types; `count` may be NULL
 *     gb_estimator_find(name)       the member of that name; NULL if there is none
 *     gb_estimator_kind             for tables of options
 *     gb_estimator_parse(text, &value, error, bytes)
 *                                   reads the text form. False where it is wrong: `error` says why, and the type is NULL
 *     gb_estimator_text(value, text, bytes)
 *                                   writes it; returns its length, as snprintf does */
#define GB_DECLARE_KIND(prefix, plural)                                                                      \
    GB_DECLARE_KIND_LIST(prefix, plural)                                                                     \
    GB_API bool prefix##_parse(const char *text, prefix *value, char *error, size_t bytes);                  \
    GB_API size_t prefix##_text(prefix value, char *text, size_t bytes);
#define GB_DEFINE_KIND(prefix, plural, word)                                                                 \
    GB_DEFINE_KIND_LIST(prefix, plural, word)                                                                \
    bool prefix##_parse(const char *text, prefix *value, char *error, size_t bytes)                          \
    {                                                                                                        \
        const gb_plugin *type;                                                                               \
        const bool is_read = gb_plugin_parse(&prefix##_kind, text, &type, &value->options, error, bytes);    \
        value->type = (const void *)type;                                                                    \
        return is_read;                                                                                      \
    }                                                                                                        \
    size_t prefix##_text(prefix value, char *text, size_t bytes)                                             \
    {                                                                                                        \
        return gb_plugin_text(value.type, &value.options, text, bytes);                                      \
    }

/* The same without a text form. */
#define GB_DECLARE_KIND_LIST(prefix, plural)                                                                 \
    GB_API extern const gb_kind prefix##_kind;                                                               \
    GB_API const prefix##_type *const *plural(size_t *count);                                                \
    GB_API const prefix##_type *prefix##_find(const char *name);
#define GB_DEFINE_KIND_LIST(prefix, plural, word)                                                            \
    static const gb_plugin *prefix##_at(size_t i)                                                            \
    {                                                                                                        \
        size_t count;                                                                                        \
        const prefix##_type *const *const all = plural(&count);                                              \
        return i < count ? (const void *)all[i] : NULL;                                                      \
    }                                                                                                        \
    const gb_kind prefix##_kind = {                                                                          \
        .size = sizeof(gb_kind), .name = word, .at = prefix##_at, .words = prefix##_words};                  \
    const prefix##_type *const *plural(size_t *count)                                                        \
    {                                                                                                        \
        if (count)                                                                                           \
            *count = sizeof prefix##_types / sizeof *prefix##_types;                                         \
        return prefix##_types;                                                                               \
    }                                                                                                        \
    const prefix##_type *prefix##_find(const char *name)                                                     \
    {                                                                                                        \
        return (const void *)gb_kind_find(&prefix##_kind, name);                                             \
    }

/* ---- text ---- */

/* Reads "NAME:OPTION=VALUE…" to its last byte. False where it is wrong: `error` (of `bytes`) then says why, with the nearest
 * name where one is not known, and `type` is NULL. */
GB_API bool gb_plugin_parse(const gb_kind *kind, const char *text, const gb_plugin **type, gb_packed *packed,
                            char *error, size_t bytes);

/* The same for a table alone, without a name before it: "OPTION=VALUE…" fills an options struct, or parameters. It has
 * room for all rows of the table: `option_bytes` of a type. Numbers for nodes are recorded on `tape`; NULL: a
 * node is refused. `owner` is for messages. */
GB_API bool gb_options_parse(const char *owner, const gb_option *options, const char *text, gb_tape *tape,
                             void *struct_of_options, char *error, size_t bytes);

/* Writes a value as gb_plugin_parse reads it, without options at their defaults; at most `bytes` with the final 0. Returns the
 * length of the whole, as snprintf does. An option that has no text form is written as OPTION=?, which is not read back. */
GB_API size_t gb_plugin_text(const void *type, const gb_packed *packed, char *text, size_t bytes);

GB_END_DECLS
#endif
