"""The pictures of the documents are what their script draws."""

import importlib.util
from pathlib import Path
from xml.etree import ElementTree

import pytest

DOCS = Path(__file__).parents[1] / "docs"


@pytest.mark.jit
def test_pictures_are_drawn_from_what_the_counter_lists_now() -> None:
    spec = importlib.util.spec_from_file_location("pictures", DOCS / "pictures.py")
    assert spec is not None
    assert spec.loader is not None
    pictures = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pictures)
    kept = {path.stem: path.read_text(encoding="utf-8") for path in (DOCS / "pictures").iterdir()}
    drawn = {name: draw() for name, draw in pictures.PICTURES.items()}
    assert kept == drawn


def test_every_picture_is_shown_and_is_a_document_of_its_own() -> None:
    page = (DOCS / "quadrants.md").read_text(encoding="utf-8")
    for path in (DOCS / "pictures").iterdir():
        assert f"](pictures/{path.name})" in page
        assert ElementTree.parse(path).getroot().tag.endswith("svg")
