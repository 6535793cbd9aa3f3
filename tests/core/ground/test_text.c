/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text: names that are nearly right, and numbers and strings that other programs read. */
#include "core/ground/text_impl.h"

#include "support/close.h"

TEST(the_nearest_name_begins_alike_or_needs_the_fewest_changes)
{
    static const char *const names[] = {"leave_one_row_out", "leave_one_out", "moving_average"};
    assert_string_equal(gb_nearest_text("moving", 3, names), "moving_average");
    assert_string_equal(gb_nearest_text("leave_one_ou", 3, names), "leave_one_out");
    assert_string_equal(gb_nearest_text("leave_two_out", 3, names), "leave_one_out");
    assert_null(gb_nearest_text("qqqqqqq", 3, names));
    assert_null(gb_nearest_text("moving", 0, names));
    assert_null(gb_nearest_text(NULL, 3, names));
}

TEST(numbers_come_back_as_they_were)
{
    static const double numbers[] = {0, -1.5, 0.1, 1e300, -2.2250738585072014e-308, 5e-324, 123456789, 1e22};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char text[64] = "", *end;
        FILE *const file = fmemopen(text, sizeof text - 1, "w");
        gb_put_number(file, numbers[i]);
        fclose(file);
        assert_true(gb_get_number(text, &end) == numbers[i]);
        assert_int_equal(*end, '\0');
    }
}

TEST(json_has_quotes_around_text_and_null_for_what_is_no_number)
{
    char text[64] = "";
    FILE *const file = fmemopen(text, sizeof text - 1, "w");
    gb_json_text(file, "a \"b\" \\ \n");
    gb_json_text(file, NULL);
    gb_json_number(file, INFINITY);
    gb_json_number(file, 0.5);
    fclose(file);
    assert_string_equal(text, "\"a \\\"b\\\" \\\\ \\u000a\"nullnull0.5");
}
