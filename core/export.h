/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Macros that every public header uses: visibility, linkage from C++, checked formats. */
#ifndef GREBE_CORE_EXPORT_H
#define GREBE_CORE_EXPORT_H

/* The shared library exports only names that are declared GB_API. */
#if defined(__GNUC__)
#define GB_API __attribute__((visibility("default")))
#define GB_PRINTF(text, arguments) __attribute__((format(printf, text, arguments)))
#else
#define GB_API
#define GB_PRINTF(text, arguments)
#endif

#ifdef __cplusplus
#define GB_BEGIN_DECLS extern "C" {
#define GB_END_DECLS }
#else
#define GB_BEGIN_DECLS
#define GB_END_DECLS
#endif

#endif
