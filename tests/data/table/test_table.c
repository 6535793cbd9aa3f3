/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support/test.h"

#include "data/table.h"

TEST(a_text_becomes_columns)
{
    gb_table *const d =
        gb_table_of_text(t, "small", "name,x, \"y, z\"\r\n\"a \"\"b\"\"\",1,2.5\r\nNA,,-1e3\n\n");
    assert_string_equal(gb_error_text(t), "");
    assert_int_equal(gb_table_rows(d), 2);
    assert_int_equal(gb_table_columns(d), 3);
    const gb_table_column *const name = gb_table_find(d, "name");
    assert_string_equal(name->levels[name->level[0]], "a \"b\"");
    assert_int_equal(name->level[1], -1);
    assert_true(gb_table_doubles(d, "y, z")[1] == -1000);
    assert_int_equal(gb_table_line(d, 1), 3);
    assert_null(gb_table_doubles(d, "x"));
    assert_string_equal(gb_error_text(t), "table: small, line 3, column x: the cell is missing (1 of 2 are); "
                                          "gb_table_complete leaves such rows out");
    gb_forgive(t);
    assert_null(gb_table_doubles(d, "nama"));
    assert_string_equal(gb_error_text(t), "table: small has no column nama (is it name?)");
    gb_table_free(d);
}
