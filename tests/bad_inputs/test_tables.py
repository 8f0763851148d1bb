"""The tables of `bad_inputs.cases`, in every form."""

import pytest
from bad_inputs.cases import put_through, table_cases


@pytest.mark.parametrize(("case", "form"), table_cases())
def test_tables(case, form, tmp_path):
    put_through(case, form, tmp_path)
