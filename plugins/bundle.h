/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plug-ins of your own by name. A *bundle* is a list of types, of any kinds. When it is added, look-ups by
 * name know its types (gb_kind_find, gb_estimator_find …), and so do texts: "mirrored:share=0.25".
 *
 * A program adds a bundle of its own:
 *
 *     static const gb_bundle_member members[] = {{&gb_estimator_kind, &mirrored_type}};
 *     static const gb_bundle mine = GB_BUNDLE(1, members);
 *     gb_bundle_add(&mine, NULL, error, sizeof error);
 *
 * A shared object exports one, and a program loads it, also the command (grebe list ./mine.so):
 *
 *     GB_EXPORT_BUNDLE({&gb_estimator_kind, &mirrored_type}, {&gb_problem_kind, &ring_problem});
 *
 *     cc -std=c17 -shared -fPIC mine.c -o mine.so $(pkg-config --cflags --libs grebe)
 *
 * What was added stays until the process ends: a file is never unloaded, and the types of a program must stay
 * as long. Any thread may add or load at any time, while others look up. */
#ifndef GREBE_PLUGINS_BUNDLE_H
#define GREBE_PLUGINS_BUNDLE_H

#include "../core/op.h"
#include "../core/version.h"
#include "plugin.h"

GB_BEGIN_DECLS

/* One type: {&gb_estimator_kind, &mirrored_type}. The kinds are gb_estimator_kind, gb_baseline_kind,
 * gb_bound_kind, gb_family_kind, gb_optimiser_kind, gb_schedule_kind, gb_model_kind, gb_shrinkage_kind,
 * gb_dist_kind, gb_transform_kind, gb_op_kind and gb_problem_kind. */
typedef struct gb_bundle_member {
    const gb_kind *kind;
    const void *type; /* a type struct of that kind */
} gb_bundle_member;

/* In all versions it begins with its size and the version. */
typedef struct gb_bundle {
    size_t size;                    /* REQUIRED: sizeof(gb_bundle) */
    int major, minor, patch;        /* REQUIRED: the version of the headers */
    const char *(*library)(void);   /* REQUIRED: gb_version, to see which copy of the library it calls */
    size_t count;                   /* REQUIRED: of the members */
    const gb_bundle_member *member; /* REQUIRED */
} gb_bundle;

/* An initialiser of a gb_bundle, with the version of these headers. */
#define GB_BUNDLE(count_, members_)                                                                          \
    {                                                                                                        \
        sizeof(gb_bundle), GB_VERSION_MAJOR, GB_VERSION_MINOR, GB_VERSION_PATCH, gb_version, count_,         \
            members_                                                                                         \
    }

/* Defines what gb_bundle_load looks for: the object gb_exported_bundle, with these members. It stands once in
 * a shared object, outside functions. */
#define GB_EXPORT_BUNDLE(...)                                                                                \
    static const gb_bundle_member gb_exported_members[] = {__VA_ARGS__};                                     \
    GB_BUNDLE_EXTERN GB_API const gb_bundle gb_exported_bundle;                                              \
    const gb_bundle gb_exported_bundle =                                                                     \
        GB_BUNDLE(sizeof gb_exported_members / sizeof *gb_exported_members, gb_exported_members)
#ifdef __cplusplus
#define GB_BUNDLE_EXTERN extern "C"
#else
#define GB_BUNDLE_EXTERN extern
#endif

/* Adds all types of a bundle, or none. `from` says where it is from, for gb_kind_origin; NULL: the program
 * itself. It is borrowed. A type that was added before is left as it is.
 *
 * Returns GB_OK; else writes the reason into `error` (of `bytes`), and returns
 *  - GB_EARGUMENT: the bundle is NULL or not complete; it was compiled with headers that this library is too
 *    old or too new for; it calls another copy of the library; a type is not complete (gb_plugin_fits); a
 *    name is taken, in its kind, or cannot stand in a text: it begins with a letter, and has small letters,
 *    digits, _ and - only (and is not "none");
 *  - GB_ELIMIT: more than 1024 types of all bundles together. */
GB_API gb_status gb_bundle_add(const gb_bundle *bundle, const char *from, char *error, size_t bytes);

/* Loads a shared object, and adds the bundle that it exports (GB_EXPORT_BUNDLE). `path` has a slash
 * ("./mine.so"): the folders of the system's libraries are not searched. `bundle`, unless NULL, receives the
 * bundle; NULL on error. A file that is loaded again is the same bundle. Code of the file runs, so load only
 * what you trust.
 *
 * Returns what gb_bundle_add does, or GB_EFILE: there is no such file, it cannot be loaded (the system's
 * words follow), or it exports no bundle; GB_ENOMEM. After an error nothing of it stays. A file that is cut
 * off is rejected; one that is damaged otherwise may end the process by a signal. */
GB_API gb_status gb_bundle_load(const char *path, const gb_bundle **bundle, char *error, size_t bytes);

/* Operations as a kind. They have no text form. gb_kind_find and gb_kind_at know those that were added;
 * gb_op_find knows grebe's alone. */
GB_API extern const gb_kind gb_op_kind;

GB_END_DECLS
#endif
