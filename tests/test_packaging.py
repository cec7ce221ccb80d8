"""The folders, the package list, the type checkers' view and the versions say the same."""

import importlib
import importlib.metadata
import pkgutil
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = {
    "frontrow": "frontrow",
    "frontrow.cluster": "cluster",
    "frontrow.search": "search",
    "frontrow.workers": "workers",
}


def project() -> dict[str, object]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)


def packages() -> list[str]:
    """The packages that the folders make, from their `__init__.py` files."""
    found = []
    for name, folder in FOLDERS.items():
        for path in (ROOT / folder).rglob("__init__.py"):
            found.append(".".join([name, *path.parent.relative_to(ROOT / folder).parts]))
    return sorted(found)


def modules() -> list[str]:
    names: list[str] = []
    for name in packages():
        package = importlib.import_module(name)
        names += [name, *(f"{name}.{module.name}" for module in pkgutil.iter_modules(package.__path__))]
    return sorted(set(names))


def run(code: str, folder: Path) -> str:
    """Run Python in `folder` and return what it printed."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_packages_in_pyproject_are_the_folders() -> None:
    setuptools = project()["tool"]["setuptools"]  # type: ignore[index]
    assert sorted(setuptools["packages"]) == packages()
    assert setuptools["package-dir"] == FOLDERS


def test_every_folder_with_modules_is_a_package() -> None:
    for folder in FOLDERS.values():
        for path in (ROOT / folder).rglob("*.py"):
            assert (path.parent / "__init__.py").exists(), f"{path.parent}: found no __init__.py"


def test_type_checkers_see_the_installed_tree() -> None:
    seen = {path.name: path.resolve() for path in (ROOT / ".types/frontrow").iterdir()}
    expected = {path.name: path for path in (ROOT / "frontrow").glob("*.py")}
    expected |= {folder: ROOT / folder for name, folder in FOLDERS.items() if name != "frontrow"}
    assert seen == expected
    assert all(not path.readlink().is_absolute() for path in (ROOT / ".types/frontrow").iterdir())


def test_version_is_the_same_everywhere() -> None:
    newest = re.search(r"^## \[(\d+\.\d+\.\d+)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    assert newest is not None
    metadata = project()["project"]
    assert importlib.metadata.version("frontrow") == newest[1] == metadata["version"]  # type: ignore[index]


def test_version_attribute_is_the_installed_version() -> None:
    import frontrow

    assert frontrow.__version__ == importlib.metadata.version("frontrow")


@pytest.mark.parametrize("name", modules())
def test_module_imports(name: str) -> None:
    importlib.import_module(name)


def test_public_names_are_where_the_front_door_says() -> None:
    import frontrow

    for name in frontrow.__all__:
        assert getattr(frontrow, name).__name__ == name
    assert set(frontrow.__all__) <= set(dir(frontrow))


def test_unknown_name_is_an_attribute_error() -> None:
    import frontrow

    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        frontrow.nothing  # noqa: B018


@pytest.mark.parametrize(
    ("imported", "absent"),
    [
        ("frontrow", {"numba", "numpy", "ray", "rich", "click", "sqlite3"}),
        ("frontrow.search.errors", {"numba", "numpy", "ray"}),
        ("frontrow.search.problem", {"numba", "ray"}),
        ("frontrow.cluster.api", {"ray"}),
        ("frontrow.cluster.command.app", {"numba", "numpy", "ray"}),
    ],
)
def test_import_leaves_heavy_packages_alone(imported: str, absent: set[str], tmp_path: Path) -> None:
    loaded = run(f"import sys, {imported}; print(*sys.modules)", tmp_path).split()
    assert imported in loaded
    assert not absent & set(loaded)


def test_a_search_file_of_the_user_is_not_in_the_way(tmp_path: Path) -> None:
    for name in ("search.py", "workers.py", "cluster.py"):
        (tmp_path / name).write_text("raise SystemExit('the wrong module')\n", encoding="utf-8")
    assert run("import frontrow.search.rows, frontrow.workers.unit; print('fine')", tmp_path) == "fine"


def test_package_says_that_it_is_typed() -> None:
    import frontrow

    assert (Path(frontrow.__file__).parent / "py.typed").exists()
