"""A fixture that writes executed notebooks."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output


@pytest.fixture
def notebook():
    """Return a function that writes an executed notebook with the outputs of checks."""

    def write(path, *checks):
        outputs = []
        for check in checks:
            contents, metadata = check._repr_mimebundle_()
            outputs.append(
                new_output("execute_result", contents, metadata=metadata, execution_count=1)
            )
        nbformat.write(new_notebook(cells=[new_code_cell(outputs=outputs, id="first")]), path)
        return path

    return write
