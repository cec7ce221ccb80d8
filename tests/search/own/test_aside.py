"""What is written to standard output past Python goes to stderr, and the answer still arrives."""

import subprocess
import sys

SCRIPT = """
import ctypes, os, sys
from frontrow.search.own.aside import descriptor_aside

libc = ctypes.CDLL(None)
print("before")
with descriptor_aside() as answer:
    libc.printf(b"C ")
    os.write(1, b"system ")
    print("answer", file=answer)
    with descriptor_aside():
        os.write(1, b"inner ")
os.write(1, b"after\\n")
"""


def test_only_the_answer_is_on_standard_output() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert done.stdout == "before\nanswer\nafter\n"
    assert sorted(done.stderr.split()) == ["C", "inner", "system"]


def test_it_works_without_a_stderr() -> None:
    words = ["bash", "-c", '"$0" -c "$1" 2>&-', sys.executable, SCRIPT]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout == "before\nanswer\nafter\n"


def test_nothing_happens_where_standard_output_is_something_else(capfd) -> None:
    from frontrow.search.own.aside import descriptor_aside

    with descriptor_aside() as answer:
        assert answer is sys.stdout
