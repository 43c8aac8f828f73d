"""A renderer that cannot load says what to install."""

import pytest

from designgym.errors import UserError
from designgym.graphics.skia_library import explain


@pytest.mark.parametrize("library", ["libGL.so.1", "libEGL.so.1"])
def test_missing_gl_libraries_are_named_with_both_debian_packages(library):
    error = explain(ImportError(f"{library}: cannot open shared object file: No such file or directory"))
    assert library.partition(".")[0] in str(error)
    assert "apt install libgl1 libegl1" in str(error)
    assert isinstance(error, UserError)
    assert isinstance(error, ImportError)


def test_other_missing_libraries_are_named():
    error = explain(ImportError("libexpat.so.1: cannot open shared object file: No such file or directory"))
    assert "apt install libexpat1" in str(error)
    error = explain(ImportError("libodd-thing.so.4: cannot open shared object file: No such file or directory"))
    assert "libodd" in str(error)


def test_a_missing_package_and_any_other_failure_are_sentences():
    assert "pip install skia-python" in str(explain(ModuleNotFoundError("No module named 'skia'", name="skia")))
    assert "undefined symbol" in str(explain(ImportError("undefined symbol: foo")))
