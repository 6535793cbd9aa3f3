/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table: named columns of numbers or of texts, in which cells may be missing.
 *
 *     gb_table *d = gb_table_read(t, "kids.csv");
 *     gb_batches *data = gb_batches_new(
 *         t, .batch = 32,
 *         .columns = GB_COLUMNS({iq, gb_table_numbers(d, "mom_iq")}, {y, gb_table_numbers(d, "kid_score")}));
 *     …
 *     gb_table_free(d);
 *
 * The caller owns a table, and frees it before or after the tape that has its errors; functions that can fail
 * need that tape. What they return is valid as long as the table. A NULL table means that an earlier call
 * failed: the function does nothing, and returns the same as for an error. Rows count from 0, lines of a file
 * from 1. */
#ifndef GREBE_DATA_TABLE_H
#define GREBE_DATA_TABLE_H

#include "../core/options.h"
#include "../core/tape.h"
#include "numbers.h"

GB_BEGIN_DECLS

typedef struct gb_table gb_table;

/* ---- text files: CSV, and numbers with white space between them ---- */

typedef struct gb_table_read_options {
    size_t size;
    /* Between cells. ' ': any white space. 0: it is found in the first lines, and is a comma, a semicolon, a
     * tab or any white space. It must be given if tabs and white space would give other numbers. */
    char separator;
    bool no_header; /* the first line has data; columns are named "1", "2" … */
    /* Words that mean a missing cell, separated by commas, besides an empty cell: "NA,NaN,-9". NULL: "NA". A
     * quoted word is none of them. Numbers are compared as numbers: -9.0 is -9. */
    const char *missing;
    /* Names, separated by commas, of columns that stay texts though all their cells are numbers: codes, such
     * as those of ZIP areas. NULL: none. */
    const char *texts;
    char comment;       /* lines that begin with it are skipped; 0: there are none */
    bool decimal_comma; /* numbers are written as 3,14 */
    /* Columns that have texts in this table have its levels, so that indices mean the same. A text that is
     * none of them is an error. For rows to be predicted. NULL: none. */
    const gb_table *like;
    const char *text; /* read this text instead of a file; the path is its name in messages */
    size_t bytes;     /* the length of `text`; 0: it ends with a zero byte */
} gb_table_read_options;

/* Reads a file, which may be packed by gzip. Returns NULL on error; the error is on the tape, and names file,
 * line and column.
 *
 * Lines end with LF, CR LF or CR. Cells are in quotes ("") where they contain separators, quotes (doubled) or
 * ends of lines. Spaces around cells do not count. A byte order mark and empty lines are skipped; in a table
 * of one column an empty line before the last is a missing cell. All lines must have as many cells as the
 * first. A column has numbers if all its cells that are not missing are decimal numbers in the range of
 * doubles; else it has texts, as for 1e-400 or 1e400. Integers beyond 2^53 are rounded, unless .texts names
 * their column. */
#define gb_table_read(...) GB_CALL_2(gb_table_read, __VA_ARGS__, .size = sizeof(gb_table_read_options))
GB_API gb_table *gb_table_read_with(gb_tape *tape, const char *path, const gb_table_read_options *options);

/* Reads a text in memory with the default options: gb_table_read(tape, name, .text = text). */
GB_API gb_table *gb_table_of_text(gb_tape *tape, const char *name, const char *text);

/* ---- tables of data in memory ---- */

/* Makes a table of `rows` rows without columns. `name` is for messages. Returns NULL on error. */
GB_API gb_table *gb_table_new(gb_tape *tape, const char *name, int64_t rows);

/* Add a column. The name must be new. Numbers are copied as doubles, and a NaN is a missing cell; an integer
 * that is no double is an error, and so is an infinite number. Texts are copied; NULL and "" are missing
 * cells. */
GB_API gb_status gb_table_add(gb_table *table, const char *name, gb_numbers values);
GB_API gb_status gb_table_add_texts(gb_table *table, const char *name, const char *const *texts);

/* Frees a table. NULL is allowed. */
GB_API void gb_table_free(gb_table *table);

/* ---- looking at a table ---- */

/* A column of a table. */
typedef struct gb_table_column {
    const char *name;
    const double *number;      /* of numbers: NaN where missing. NULL for texts */
    const int64_t *level;      /* of texts: index into `levels`, −1 where missing. NULL for numbers */
    const char *const *levels; /* the different texts, in the order of strcmp; NULL for numbers */
    size_t level_count;
    size_t missing; /* the number of missing cells */
} gb_table_column;

/* The numbers of rows and of columns; 0 for NULL. */
GB_API int64_t gb_table_rows(const gb_table *table);
GB_API size_t gb_table_columns(const gb_table *table);

/* Returns column `index`; NULL if there is none. */
GB_API const gb_table_column *gb_table_column_at(const gb_table *table, size_t index);

/* Return the column of that name. If there is none, gb_table_find returns NULL without an error;
 * gb_table_column_named fails, and names the nearest column. */
GB_API const gb_table_column *gb_table_find(const gb_table *table, const char *name);
GB_API const gb_table_column *gb_table_column_named(const gb_table *table, const char *name);

/* Returns the name of the table: the file, for messages. */
GB_API const char *gb_table_name(const gb_table *table);

/* Returns the line of the file in which a row begins; 0: there is no such row, or no file. */
GB_API int64_t gb_table_line(const gb_table *table, int64_t row);

/* Returns the tape that has its errors; NULL for NULL. */
GB_API gb_tape *gb_table_tape(const gb_table *table);

/* Writes where a row is, for messages: "kids.csv, line 17", or "kids.csv, row 15" if there is no file. */
enum { GB_TABLE_PLACE = 256 };
GB_API const char *gb_table_place(const gb_table *table, int64_t row, char text[GB_TABLE_PLACE]);

/* ---- using columns ---- */

/* Returns the numbers of a column. Fails if a cell is missing, or if the column has texts, and names the
 * first such cell. */
GB_API const double *gb_table_doubles(const gb_table *table, const char *name);

/* The same with the count, for gb_batches and others. Several names, separated by commas (in quotes ("") if
 * they have commas), give [rows][names], row after row; "*" all columns. Each call with several makes an
 * array, which the table keeps. Without numbers on error. */
GB_API gb_numbers gb_table_numbers(gb_table *table, const char *names);

/* The levels of a column of texts: as indices, int64 [rows]; or one number for each level, uint8
 * [rows][levels], which is 1 for the row's own level and else 0. The table keeps the latter. They fail as
 * gb_table_doubles does; a column of numbers needs .texts when it is read. */
GB_API gb_numbers gb_table_levels(const gb_table *table, const char *name);
GB_API gb_numbers gb_table_one_hot(gb_table *table, const char *name);

/* Return a new table: of some rows, in the given order; of the rows that have no missing cell in columns of
 * these names (separated by commas; "*": in all), and store in `dropped`, unless it is NULL, how many had.
 * Levels and lines are those of `table`, which may be freed before. NULL on error, as for a row that is not
 * there, or if no row is left. */
GB_API gb_table *gb_table_take(const gb_table *table, gb_rows rows);
GB_API gb_table *gb_table_complete(const gb_table *table, const char *names, size_t *dropped);

/* Writes the table as CSV. gb_table_read reads the same numbers and texts from it; a column of texts that are
 * all numbers needs .texts. A missing cell is NA. Returns GB_EARGUMENT for NULL, GB_ESYSTEM if writing
 * failed. */
GB_API gb_status gb_table_csv(const gb_table *table, FILE *file);

GB_END_DECLS
#endif
