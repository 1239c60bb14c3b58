-- What filled the columns of 0017 for rows of before it has done so.
drop procedure fill_list_columns();
drop procedure fill_older_rows(text, text, text);
