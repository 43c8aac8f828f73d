"""The embedded fonts: every declared file ships with its licence, works, and has the widths it stands for."""

import hashlib
from pathlib import Path

import pytest

from designgym.graphics.fonts import ALIASES, FAMILIES, FONT_FOLDER, SUPPLEMENTS, FontError, find_family
from designgym.graphics.skia_library import skia
from designgym.graphics.typefaces import face, load_typeface, supplement_face


def test_the_declared_files_are_exactly_those_that_ship():
    declared = {
        family.path(weight, italic)
        for family in FAMILIES.values()
        for weight in family.weights
        for italic in (False, True)
    } | {FONT_FOLDER / family.folder / "LICENSE" for family in (*FAMILIES.values(), *SUPPLEMENTS)}
    declared |= {supplement.path(weight) for supplement in SUPPLEMENTS for weight in supplement.weights}
    assert declared == {path for path in FONT_FOLDER.rglob("*") if path.is_file()}


def test_there_are_about_twenty_families_of_every_category():
    assert 20 <= len(FAMILIES) <= 24
    assert {family.category for family in FAMILIES.values()} == {"serif", "sans", "display", "mono", "script"}


@pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda family: family.folder)
def test_every_family_comes_with_the_licence_that_it_declares(family):
    text = (FONT_FOLDER / family.folder / "LICENSE").read_text(encoding="utf-8")
    assert {"OFL-1.1": "SIL OPEN FONT LICENSE Version 1.1", "Apache-2.0": "Apache License"}[family.licence] in text


@pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda family: family.folder)
def test_every_face_draws_latin_text_and_currency(family):
    for weight in family.weights:
        for italic in (False, True):
            missing = (
                set("The quick brown Fox, jumped! 0123456789 ÄÖÜäöüßéèçñ€£“”–—…&@#%")
                - face(family, weight, italic).characters
            )
            assert not missing


@pytest.mark.parametrize("supplement", SUPPLEMENTS, ids=lambda supplement: supplement.folder)
def test_every_supplement_draws_its_script_in_every_weight_and_has_its_licence(supplement):
    script = {
        "hebrew": "אבגדהוזחטיכךלמםנןסעפףצץקרשת",
        "arabic": "ابتثجحخدذرزسشصضطظعغفقكلمنهويةىءآأإؤئ،؟٠١٢٣٤٥٦٧٨٩",
        "emoji": "😀🎉🎂🍕🐈🚗⚽🎸🌍❤☀🧑🚀",
    }[supplement.subset]
    for weight in supplement.weights:
        loaded = supplement_face(supplement, weight)
        assert loaded.weight == weight and all(map(loaded.draws, script))
    licence = (FONT_FOLDER / supplement.folder / "LICENSE").read_text(encoding="utf-8")
    assert "SIL OPEN FONT LICENSE Version 1.1" in licence


def test_no_two_files_are_the_same():
    files = list(FONT_FOLDER.rglob("*.woff"))
    assert len({hashlib.sha256(path.read_bytes()).digest() for path in files}) == len(files)


# Thousandths of an em of " AaHmie". Helvetica, Times and Courier: Adobe's Core 14 AFM files. Calibri and Georgia: the
# /Widths arrays of PDF files that name them.
@pytest.mark.parametrize(
    ("name", "weight", "widths"),
    [
        ("Arial", 400, [278, 667, 556, 722, 833, 222, 556]),
        ("Arial", 700, [278, 722, 556, 722, 889, 278, 556]),
        ("Times New Roman", 400, [250, 722, 444, 722, 778, 278, 444]),
        ("Times New Roman", 700, [250, 722, 500, 778, 833, 278, 444]),
        ("Courier New", 400, [600] * 7),
        ("Courier New", 700, [600] * 7),
        ("Calibri", 400, [226, 579, 479, 623, 799, 229, 498]),
        ("Georgia", 400, [241, 671, 504, 815, 880, 293, 484]),
    ],
)
def test_a_stand_in_has_the_advance_widths_of_the_original(name, weight, widths):
    font = skia.Font(face(find_family(name), weight).typeface, 1000.0)
    font.setLinearMetrics(True)
    font.setHinting(skia.FontHinting.kNone)
    assert font.getWidths(font.textToGlyphs(" AaHmie")) == pytest.approx(widths, abs=1.01)


def test_families_are_found_by_name_and_alias_in_any_case():
    assert find_family("playfair display").name == "Playfair Display"
    assert find_family("ARIAL").name == "Arimo"
    assert all(name in FAMILIES for name in ALIASES.values())
    assert not set(ALIASES) & set(FAMILIES)


def test_an_unknown_family_is_an_error_that_names_the_nearest_one():
    with pytest.raises(FontError, match=r"'Opne Sans' is not embedded. Did you mean 'Open Sans'\?"):
        find_family("Opne Sans")
    with pytest.raises(FontError, match=r"'Wingdings' is not embedded. Known are: Abril Fatface, "):
        find_family("Wingdings")


@pytest.mark.parametrize(
    ("weight", "nearest"), [(100, 400), (400, 400), (549, 400), (550, 700), (700, 700), (900, 700)]
)
def test_the_nearest_embedded_weight_is_used(weight, nearest):
    assert FAMILIES["Arimo"].nearest(weight) == nearest
    assert FAMILIES["Lobster"].nearest(weight) == 400


def test_a_missing_or_damaged_font_file_is_a_sentence_with_its_path(tmp_path):
    with pytest.raises(FontError, match=r"font file .*none\.woff is missing"):
        load_typeface(tmp_path / "none.woff")
    whole = FAMILIES["Arimo"].path().read_bytes()
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 0xFF
    for damaged in (b"", b"not a font" * 50, whole[: len(whole) // 2], whole[:-1], bytes(flipped)):
        (tmp_path / "damaged.woff").write_bytes(damaged)
        with pytest.raises(FontError, match=r"damaged\.woff is damaged or not a font"):
            load_typeface(tmp_path / "damaged.woff")


def test_the_notice_names_every_family_with_its_licence():
    notice = (Path(__file__).parents[1] / "NOTICE").read_text(encoding="utf-8")
    for family in FAMILIES.values():
        assert f"\n{family.name} ({family.licence}), @fontsource/{family.folder}\n" in notice
    for supplement in SUPPLEMENTS:
        assert f"\n{supplement.name} (OFL-1.1), @fontsource/{supplement.folder}" in notice
