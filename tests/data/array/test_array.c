/* SPDX-License-Identifier: GPL-3.0-or-later */
/* IDX and NPY: read, mapped, written, rejected. */
#include "support/close.h"
#include "support/counted_memory.h"
#include "support/files.h"

#include <zlib.h>

#include "data/array.h"

/* ---- what is read: the first numbers as doubles ---- */

enum { MOST_NUMBERS = 6 };

/* A file as bytes of a string literal, without the zero byte at its end. */
#define BYTES(literal) literal, sizeof(literal) - 1

typedef struct good {
    const char *name, *bytes;
    size_t length;
    gb_number type;
    gb_shape shape;
    double number[MOST_NUMBERS];
} good;

#define SHAPE(number_of_axes, ...)                                                                           \
    {                                                                                                        \
        .rank = (number_of_axes), .size = { __VA_ARGS__ }                                                    \
    }
#define DICTIONARY(descr, order, shape)                                                                      \
    "{'descr': '" descr "', 'fortran_order': " order ", 'shape': " shape ", }"
/* Version 1, with the length of the dictionary and its end of line. */
#define NPY(length, dictionary, numbers) BYTES("\x93NUMPY\1\0" length "\0" dictionary "\n" numbers)

static const good goods[] = {
    {"idx_of_bytes",
     BYTES("\0\0\x08\2\0\0\0\2\0\0\0\3\1\2\3\4\5\xFF"),
     GB_NUMBER_UINT8,
     SHAPE(2, 2, 3),
     {1, 2, 3, 4, 5, 255}},
    {"idx_of_signed_bytes", BYTES("\0\0\x09\1\0\0\0\2\1\xFF"), GB_NUMBER_INT8, SHAPE(1, 2), {1, -1}},
    {"idx_of_int16", BYTES("\0\0\x0B\1\0\0\0\2\1\2\xFF\xFE"), GB_NUMBER_INT16, SHAPE(1, 2), {258, -2}},
    {"idx_of_int32",
     BYTES("\0\0\x0C\1\0\0\0\2\0\0\1\2\xFF\xFF\xFF\xFE"),
     GB_NUMBER_INT32,
     SHAPE(1, 2),
     {258, -2}},
    {"idx_of_float", BYTES("\0\0\x0D\1\0\0\0\1\x3F\xC0\0\0"), GB_NUMBER_FLOAT, SHAPE(1, 1), {1.5}},
    {"idx_of_double", BYTES("\0\0\x0E\1\0\0\0\1\xBF\xF8\0\0\0\0\0\0"), GB_NUMBER_DOUBLE, SHAPE(1, 1), {-1.5}},
    {"idx_of_one_number", BYTES("\0\0\x08\0\7"), GB_NUMBER_UINT8, {0}, {7}},
    {"idx_of_six_axes",
     BYTES("\0\0\x08\6\0\0\0\1\0\0\0\1\0\0\0\1\0\0\0\1\0\0\0\1\0\0\0\2\3\4"),
     GB_NUMBER_UINT8,
     SHAPE(6, 1, 1, 1, 1, 1, 2),
     {3, 4}},
    {"npy_f8",
     NPY("\x3A", DICTIONARY("<f8", "False", "(1,)"), "\0\0\0\0\0\0\xF8\x3F"),
     GB_NUMBER_DOUBLE,
     SHAPE(1, 1),
     {1.5}},
    {"npy_big_endian_f8",
     NPY("\x3A", DICTIONARY(">f8", "False", "(1,)"), "\x3F\xF8\0\0\0\0\0\0"),
     GB_NUMBER_DOUBLE,
     SHAPE(1, 1),
     {1.5}},
    {"npy_f4",
     NPY("\x3A", DICTIONARY("<f4", "False", "(1,)"), "\0\0\xC0\x3F"),
     GB_NUMBER_FLOAT,
     SHAPE(1, 1),
     {1.5}},
    {"npy_i1",
     NPY("\x3A", DICTIONARY("|i1", "False", "(2,)"), "\1\xFF"),
     GB_NUMBER_INT8,
     SHAPE(1, 2),
     {1, -1}},
    {"npy_u1",
     NPY("\x3A", DICTIONARY("|u1", "False", "(2,)"), "\1\xFF"),
     GB_NUMBER_UINT8,
     SHAPE(1, 2),
     {1, 255}},
    {"npy_b1", NPY("\x3A", DICTIONARY("|b1", "False", "(2,)"), "\1\0"), GB_NUMBER_UINT8, SHAPE(1, 2), {1, 0}},
    {"npy_i2",
     NPY("\x3A", DICTIONARY(">i2", "False", "(2,)"), "\1\2\xFF\xFE"),
     GB_NUMBER_INT16,
     SHAPE(1, 2),
     {258, -2}},
    {"npy_u2",
     NPY("\x3A", DICTIONARY("<u2", "False", "(2,)"), "\1\2\xFE\xFF"),
     GB_NUMBER_UINT16,
     SHAPE(1, 2),
     {513, 65534}},
    {"npy_i4",
     NPY("\x3A", DICTIONARY("<i4", "False", "(1,)"), "\xFE\xFF\xFF\xFF"),
     GB_NUMBER_INT32,
     SHAPE(1, 1),
     {-2}},
    {"npy_u4",
     NPY("\x3A", DICTIONARY(">u4", "False", "(1,)"), "\xFF\xFF\xFF\xFE"),
     GB_NUMBER_UINT32,
     SHAPE(1, 1),
     {4294967294}},
    {"npy_i8",
     NPY("\x3A", DICTIONARY("<i8", "False", "(1,)"), "\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF"),
     GB_NUMBER_INT64,
     SHAPE(1, 1),
     {-2}},
    {"npy_u8",
     NPY("\x3A", DICTIONARY("<u8", "False", "(1,)"), "\2\0\0\0\0\0\0\x80"),
     GB_NUMBER_UINT64,
     SHAPE(1, 1),
     {0x1p63}},
    {"npy_f2",
     NPY("\x3A", DICTIONARY("<f2", "False", "(6,)"), "\0\x3E\0\xC0\1\0\xFF\x7B\0\x80\xFF\x83"),
     GB_NUMBER_FLOAT,
     SHAPE(1, 6),
     {1.5, -2, 0x1p-24, 65504, -0.0, -1023 * 0x1p-24}},
    {"npy_f2_infinities",
     NPY("\x3A", DICTIONARY("<f2", "False", "(2,)"), "\0\x7C\0\xFC"),
     GB_NUMBER_FLOAT,
     SHAPE(1, 2),
     {(double)INFINITY, -(double)INFINITY}},
    {"npy_big_endian_f2",
     NPY("\x3A", DICTIONARY(">f2", "False", "(1,)"), "\x3E\0"),
     GB_NUMBER_FLOAT,
     SHAPE(1, 1),
     {1.5}},
    {"npy_of_one_number", NPY("\x38", DICTIONARY("|u1", "False", "()"), "\7"), GB_NUMBER_UINT8, {0}, {7}},
    {"npy_rows_first",
     NPY("\x3C", DICTIONARY("|u1", "False", "(2, 3)"), "\1\2\3\4\5\6"),
     GB_NUMBER_UINT8,
     SHAPE(2, 2, 3),
     {1, 2, 3, 4, 5, 6}},
    {"npy_columns_first",
     NPY("\x3B", DICTIONARY("|u1", "True", "(2, 3)"), "\1\2\3\4\5\6"),
     GB_NUMBER_UINT8,
     SHAPE(2, 2, 3),
     {1, 3, 5, 2, 4, 6}},
    {"npy_columns_first_of_int16",
     NPY("\x3B", DICTIONARY(">i2", "True", "(2, 2)"), "\0\1\0\2\0\3\0\4"),
     GB_NUMBER_INT16,
     SHAPE(2, 2, 2),
     {1, 3, 2, 4}},
    {"npy_of_python_2",
     NPY("\x3E", DICTIONARY("|u1", "False", "(2L, 1L)"), "\1\2"),
     GB_NUMBER_UINT8,
     SHAPE(2, 2, 1),
     {1, 2}},
    {"npy_with_other_quotes_and_order",
     NPY("\x38", "{\"shape\":(2,),\"fortran_order\":False,\"descr\":\"|u1\"}     ", "\1\2"),
     GB_NUMBER_UINT8,
     SHAPE(1, 2),
     {1, 2}},
    {"npy_version_2",
     BYTES("\x93NUMPY\2\0\x3A\0\0\0" DICTIONARY("|u1", "False", "(2,)") "\n"
                                                                        "\1\2"),
     GB_NUMBER_UINT8,
     SHAPE(1, 2),
     {1, 2}},
    {"npy_version_3",
     BYTES("\x93NUMPY\3\0\x3A\0\0\0" DICTIONARY("|u1", "False", "(2,)") "\n"
                                                                        "\1\2"),
     GB_NUMBER_UINT8,
     SHAPE(1, 2),
     {1, 2}},
};

static void assert_is(const gb_array *a, const good *g)
{
    const gb_numbers numbers = gb_array_numbers(a);
    assert_int_equal(numbers.type, g->type);
    assert_true(gb_shape_same(gb_array_shape(a), g->shape));
    assert_int_equal(numbers.count, gb_shape_count(g->shape));
    assert_int_equal(gb_array_rows(a), g->shape.rank ? g->shape.size[0] : 1);
    for (size_t i = 0; i < numbers.count; i++) {
        assert_true(gb_numbers_at(numbers, i) == g->number[i]);
        assert_int_equal(signbit(gb_numbers_at(numbers, i)), signbit(g->number[i]));
    }
}

static gb_array *of_bytes(gb_tape *t, const void *bytes, size_t length)
{
    return gb_array_read(t, "data", .data = bytes, .bytes = length);
}

TEST_EACH(is_read, goods)
{
    const good *const g = row;
    char path[64];
    gb_array *const a = of_bytes(t, g->bytes, g->length);
    assert_fine(t);
    assert_is(a, g);
    gb_array_free(a);
    snprintf(path, sizeof path, "%s.gz", g->name);
    gzFile packed = gzopen(path, "wb");
    assert_int_equal(gzwrite(packed, g->bytes, (unsigned)g->length), g->length);
    gzclose(packed);
    gb_array *const b = gb_array_read(t, path);
    assert_fine(t);
    assert_is(b, g);
    gb_array_free(b);
    remove(path);
}

/* What is written is read again, also by a map. */
TEST_EACH(is_written, goods)
{
    const good *const g = row;
    char path[64];
    gb_array *const a = of_bytes(t, g->bytes, g->length);
    snprintf(path, sizeof path, "%s.npy", g->name);
    FILE *const file = fopen(path, "wb");
    assert_int_equal(gb_numbers_npy(gb_array_numbers(a), gb_array_shape(a), file), GB_OK);
    fclose(file);
    for (int mapped = 0; mapped < 2; mapped++) {
        gb_array *const b = gb_array_read(t, path, .mapped = mapped);
        assert_fine(t);
        assert_is(b, g);
        gb_array_free(b);
    }
    gb_array_free(a);
    remove(path);
}

/* A file that lacks its end, or has one byte more, is rejected, packed or not. */
TEST_EACH(is_rejected_with_another_length, goods)
{
    const good *const g = row;
    char *const longer = calloc(g->length + 1, 1);
    assert_non_null(longer);
    memcpy(longer, g->bytes, g->length);
    for (size_t length = 0; length < g->length; length++) {
        assert_null(of_bytes(t, longer, length));
        assert_rejected(t, GB_EFILE, length < 4 ? "before its numbers begin" : "array: data: ");
    }
    assert_null(of_bytes(t, longer, g->length + 1));
    assert_rejected(t, GB_EFILE, "array: data: its shape is ");
    gzFile packed = gzopen("longer.gz", "wb");
    gzwrite(packed, longer, (unsigned)g->length + 1);
    gzclose(packed);
    assert_null(gb_array_read(t, "longer.gz"));
    assert_rejected(t, GB_EFILE, "and there are more than ");
    packed = gzopen("longer.gz", "wb");
    gzwrite(packed, longer, (unsigned)g->length - 1);
    gzclose(packed);
    assert_null(gb_array_read(t, "longer.gz"));
    assert_rejected(t, GB_EFILE, "its shape is ");
    remove("longer.gz");
    free(longer);
}

/* ---- what is rejected ---- */

typedef struct bad {
    const char *name, *bytes;
    size_t length;
    const char *words;
} bad;

static const bad bads[] = {
    {"text", BYTES("a,b\n1,2\n"),
     "neither IDX nor NPY, by its first bytes 61 2c 62 0a; gb_table_read reads text"},
    {"zip", BYTES("PK\3\4xxxx"), "a zip archive, such as npz"},
    {"hdf5", BYTES("\x89HDF\r\n\x1a\n"), "HDF5, which is not read"},
    {"idx_of_an_unknown_type", BYTES("\0\0\x0A\1\0\0\0\1\1\1"), "IDX has no type 10"},
    {"idx_of_another_type", BYTES("\0\0\x07\1\0\0\0\1\1\1"),
     "neither IDX nor NPY, by its first bytes 00 00 07 01"},
    {"idx_of_seven_axes", BYTES("\0\0\x08\7\0\0\0\1"), "the array has 7 axes, and at most 6 are read"},
    {"idx_without_numbers", BYTES("\0\0\x08\1\0\0\0\0"), "it has no numbers: an axis has size 0"},
    {"idx_of_a_huge_shape", BYTES("\0\0\x08\3\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0\0\0\1\1"),
     "more numbers than memory can have"},
    {"idx_of_a_large_shape", BYTES("\0\0\x0E\1\x7F\xFF\xFF\xFF\1"),
     "its shape is (2147483647), which are 17179869176 bytes of double, and there are 1"},
    {"npy_version_4", BYTES("\x93NUMPY\4\0\1\0\0\0x"), "NPY of version 4.0, and 1.0, 2.0 and 3.0 are read"},
    {"npy_version_1_1", BYTES("\x93NUMPY\1\1\1\0x"), "NPY of version 1.1"},
    {"npy_of_another_name", BYTES("\x93NUMBER\1\0\1\0"), "NPY of version"},
    {"npy_without_header", BYTES("\x93NUMPY\1\0\0\0"), "its header has 0 bytes"},
    {"npy_with_a_long_header", BYTES("\x93NUMPY\2\0\xFF\xFF\xFF\x7F"), "its header has 2147483647 bytes"},
    {"npy_with_a_zero_in_its_header", BYTES("\x93NUMPY\1\0\3\0{}\0"), "its header has a zero byte"},
    {"npy_with_no_dictionary", NPY("\x03", "[]", ""), "no dictionary of Python"},
    {"npy_with_an_empty_dictionary", NPY("\x03", "{}", ""), "its header has no descr"},
    {"npy_without_shape", NPY("\x2C", "{'descr': '<f8', 'fortran_order': False, }\n", ""),
     "its header has no shape"},
    {"npy_with_another_key", NPY("\x0C", "{'what': 1}", ""),
     "another key than descr, fortran_order and shape"},
    {"npy_with_a_key_twice", NPY("\x23", "{'descr': '<f8', 'descr': '<f8', }", ""), "or one twice"},
    {"npy_with_a_negative_size", NPY("\x3B", DICTIONARY("<f8", "False", "(-1,)"), ""),
     "its shape is no tuple of sizes, 0 or larger"},
    {"npy_with_a_fraction_as_size", NPY("\x3C", DICTIONARY("<f8", "False", "(1.5,)"), ""),
     "its shape is no tuple of sizes"},
    {"npy_with_a_shape_that_is_no_tuple", NPY("\x37", DICTIONARY("<f8", "False", "3"), ""),
     "its shape is not a tuple"},
    {"npy_with_a_shape_without_end", NPY("\x38", DICTIONARY("<f8", "False", "(3"), ""),
     "its shape is no tuple of sizes"},
    {"npy_of_seven_axes", NPY("\x45", DICTIONARY("<f8", "False", "(1,1,1,1,1,1,1)"), ""), "more than 6 axes"},
    {"npy_of_a_huge_shape", NPY("\x4D", DICTIONARY("<f8", "False", "(99999999999999999999,)"), ""),
     "more numbers than memory can have"},
    {"npy_of_a_large_product", NPY("\x51", DICTIONARY("<f8", "False", "(3037000500, 3037000500, 8)"), ""),
     "more numbers than memory can have"},
    {"npy_without_numbers", NPY("\x3A", DICTIONARY("<f8", "False", "(0,)"), ""),
     "it has no numbers: an axis has size 0"},
    {"npy_of_complex", NPY("\x3B", DICTIONARY("<c16", "False", "(1,)"), ""),
     "its numbers are of numpy's type <c16; those that are read are f8"},
    {"npy_of_long_double", NPY("\x3B", DICTIONARY("<f16", "False", "(1,)"), ""), "numpy's type <f16"},
    {"npy_of_texts", NPY("\x3A", DICTIONARY("<U5", "False", "(1,)"), ""), "numpy's type <U5"},
    {"npy_of_objects", NPY("\x39", DICTIONARY("|O", "False", "(1,)"), ""), "numpy's type |O"},
    {"npy_of_structures",
     NPY("\x4B", "{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (1,), }       \n", ""),
     "its numbers are structures"},
    {"npy_of_no_order", NPY("\x36", DICTIONARY("<f8", "0", "(1,)"), ""),
     "fortran_order is neither True nor False"},
    {"npy_with_more_after_its_dictionary", NPY("\x3C", DICTIONARY("<f8", "False", "(1,)") " x", ""),
     "its header has more after its end"},
    {"npy_without_a_comma", NPY("\x1F", "{'descr': '<f8' 'shape': (1,)}", ""),
     "its header is damaged after descr"},
};

TEST_EACH(is_rejected, bads)
{
    const bad *const b = row;
    assert_null(of_bytes(t, b->bytes, b->length));
    assert_rejected(t, GB_EFILE, b->words);
}

TEST(what_is_not_there_is_rejected)
{
    assert_null(gb_array_read(t, "no such file"));
    assert_rejected(t, GB_ESYSTEM, "array: no such file cannot be read: No such file");
    assert_null(gb_array_read(t, NULL));
    assert_rejected(t, GB_EARGUMENT, "array: the path is NULL");
    assert_null(gb_array_read(NULL, "x"));
    gb_array_free(NULL);
    assert_null(gb_array_numbers(NULL).at);
    assert_int_equal(gb_array_rows(NULL), 0);
    assert_int_equal(gb_array_shape(NULL).rank, -1);
}

/* ---- maps ---- */

static void assert_not_mapped(gb_tape *t, const char *name, const char *why)
{
    for (size_t i = 0; i < sizeof goods / sizeof *goods; i++)
        if (strcmp(goods[i].name, name) == 0)
            file_put("mapped", goods[i].bytes, goods[i].length);
    assert_null(gb_array_read(t, "mapped", .mapped = true));
    assert_rejected(t, GB_EFILE, why);
    remove("mapped");
}

TEST(what_cannot_be_mapped_is_rejected)
{
    const uint16_t one = 1;
    const bool is_little = *(const unsigned char *)&one == 1;
    assert_not_mapped(
        t, is_little ? "npy_big_endian_f8" : "npy_f8",
        "array: mapped: it cannot be mapped, since its numbers have another order of bytes than "
        "this machine; without .mapped it is read");
    assert_not_mapped(t, "npy_columns_first", "its first axis is contiguous (Fortran order)");
    assert_not_mapped(t, is_little ? "npy_f2" : "npy_big_endian_f2", "since it has half precision");
    assert_not_mapped(t, is_little ? "npy_f8" : "npy_big_endian_f8", "since its numbers are not aligned");
    assert_null(gb_array_read(t, "memory", .data = "x", .bytes = 1, .mapped = true));
    assert_rejected(t, GB_EFILE, "since it is in memory already");
    gzFile packed = gzopen("mapped.gz", "wb");
    gzwrite(packed, goods[0].bytes, (unsigned)goods[0].length);
    gzclose(packed);
    assert_null(gb_array_read(t, "mapped.gz", .mapped = true));
    assert_rejected(t, GB_EFILE, "since it is packed by gzip");
    remove("mapped.gz");
}

TEST(bytes_of_idx_are_mapped)
{
    file_put("bytes.idx", goods[0].bytes, goods[0].length);
    gb_array *const a = gb_array_read(t, "bytes.idx", .mapped = true);
    assert_fine(t);
    assert_is(a, &goods[0]);
    gb_array_free(a);
    remove("bytes.idx");
}

/* ---- writing ---- */

TEST(scaled_numbers_are_written_as_doubles)
{
    const uint8_t bytes[] = {0, 1, 2};
    FILE *const file = fopen("scaled.npy", "wb");
    assert_int_equal(gb_numbers_npy(gb_numbers_scaled(gb_bytes(bytes), 0.5, 1), gb_shape(3), file), GB_OK);
    assert_int_equal(ftell(file) % 8, 0);
    fclose(file);
    gb_array *const a = gb_array_read(t, "scaled.npy", .mapped = true);
    const double should[] = {1, 1.5, 2};
    assert_memory_equal(gb_array_numbers(a).at, should, sizeof should);
    gb_array_free(a);
    remove("scaled.npy");
}

TEST(numbers_that_cannot_be_written_are_rejected)
{
    const double x[] = {1, 2};
    FILE *const full = file_on_full_disk();
    assert_int_equal(gb_numbers_npy(gb_doubles(x), gb_shape(2), full), GB_ESYSTEM);
    assert_int_equal(gb_numbers_npy(gb_doubles(x), gb_shape(2), NULL), GB_EARGUMENT);
    assert_int_equal(gb_numbers_npy(gb_doubles(NULL), gb_shape(2), full), GB_EARGUMENT);
    assert_int_equal(gb_numbers_npy(gb_doubles(x), gb_shape(-1), full), GB_EARGUMENT);
    assert_int_equal(gb_numbers_npy(gb_numbers_of(GB_NUMBER_DOUBLE, x, 2), gb_shape(3), full), GB_EARGUMENT);
    assert_int_equal(gb_numbers_npy(gb_numbers_of((gb_number)10, x, 2), gb_shape(2), full), GB_EARGUMENT);
    fclose(full);
}

/* ---- large, published, and without memory ---- */

/* More than what a packed file is read in at once. */
TEST(a_packed_array_of_many_megabytes_is_read)
{
    enum { COUNT = 1200 * 1000 };
    double *const x = malloc(COUNT * sizeof *x);
    assert_non_null(x);
    for (int i = 0; i < COUNT; i++)
        x[i] = i;
    FILE *const file = fopen("large.npy", "wb");
    gb_numbers_npy(gb_doubles(x), gb_shape(COUNT / 2, 2), file);
    fclose(file);
    gb_array *a = gb_array_read(t, "large.npy");
    assert_memory_equal(gb_array_numbers(a).at, x, COUNT * sizeof *x);
    gb_array_free(a);
    FILE *const plain = fopen("large.npy", "rb");
    gzFile packed = gzopen("large.npy.gz", "wb1");
    for (char part[65536]; !feof(plain);)
        gzwrite(packed, part, (unsigned)fread(part, 1, sizeof part, plain));
    gzclose(packed);
    fclose(plain);
    a = gb_array_read(t, "large.npy.gz");
    assert_fine(t);
    assert_memory_equal(gb_array_numbers(a).at, x, COUNT * sizeof *x);
    gb_array_free(a);
    free(x);
    remove("large.npy");
    remove("large.npy.gz");
}

TEST(published_images_are_read)
{
    gb_array *const images = gb_array_read(t, GB_TESTS "/../../shared/data/mnist/t10k-images-idx3-ubyte.gz");
    if (gb_error(t) == GB_ESYSTEM) {
        print_message("there is no folder ../shared/data\n");
        skip();
    }
    gb_array *const labels = gb_array_read(t, GB_TESTS "/../../shared/data/mnist/t10k-labels-idx1-ubyte.gz");
    assert_fine(t);
    assert_true(gb_shape_same(gb_array_shape(images), gb_shape(10000, 28, 28)));
    assert_int_equal(gb_array_rows(labels), 10000);
    double sum = 0;
    for (size_t i = 0; i < gb_array_numbers(images).count; i++)
        sum += gb_numbers_at(gb_array_numbers(images), i);
    assert_near(sum / 255 / 7840000, 0.1325, 1e-4);
    assert_true(gb_numbers_at(gb_array_numbers(labels), 0) == 7);
    gb_array_free(images);
    gb_array_free(labels);
}

static gb_status use(gb_tape *t, const void *what)
{
    const good *const g = what;
    gb_array_free(of_bytes(t, g->bytes, g->length));
    return gb_error(t);
}

TEST(an_array_outlives_lack_of_memory)
{
    for (size_t i = 0; i < sizeof goods / sizeof *goods; i++)
        assert_outlives_lack_of_memory(use, &goods[i], goods[i].name, 0, (gb_tape_options){0});
}
