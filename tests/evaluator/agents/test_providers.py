from __future__ import annotations

from pathlib import Path

import pytest

from evaluator.agents.providers import ProvidersError, read_providers
from evaluator.agents.redaction import Redactor, redact

KEY = "sk-canary-7f3a"


def read(folder: Path, text: str, **variables: str):
    path = folder / "providers.toml"
    path.write_text(text)
    return read_providers(path, variable=lambda name: variables.get(name, ""))


def test_providers_are_read_with_keys_from_files_and_variables(tmp_path: Path):
    (tmp_path / "key").write_text(f"{KEY}\n")
    (tmp_path / "script.json").write_text('{"conversations": []}')

    lab, hub, scripted = read(
        tmp_path,
        """
        ["Sample Lab"]
        base_url = "https://lab.example/v4/"
        key_file = "key"
        models = ["sample-1", "sample-2"]
        options = {effort = "high"}
        [hub]
        base_url = "http://127.0.0.1:1/v1"
        key_env = "HUB_KEY"
        models = ["m"]
        [Scripted]
        script = "script.json"
        models = ["scripted-demo"]
        """,
        HUB_KEY=KEY,
    )

    assert (lab.name, lab.base_url, lab.key) == (
        "Sample Lab",
        "https://lab.example/v4",
        KEY,
    )
    assert lab.models == ("sample-1", "sample-2")
    assert lab.options == {"effort": "high"}
    assert hub.key == KEY
    assert (scripted.scripted, scripted.key, lab.scripted) == (True, "", False)
    assert KEY not in repr((lab, hub))


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ('models = ["m"]', "base_url is ''"),
        ('models = ["m"]\nbase_url = "file:///etc"', "http(s)"),
        ('base_url = "http://h"', "models has to be a list"),
        ('models = []\nbase_url = "http://h"', "models has to be a list"),
        ('models = ["m"]\nbase_url = "http://h"\nkey = "k"', "unknown: key"),
        ('models = ["m"]\nbase_url = "http://h"\nkey_env = "NONE"', "NONE is empty"),
        ('models = ["m"]\nbase_url = "http://h"\nkey_file = "no"', "No such file"),
        ('models = ["glm-5.2"]\nscript = "s.json"', "would pass for a real one"),
        (
            'models = ["scripted-x"]\nbase_url = "http://h"',
            "a name for models with a script alone",
        ),
        ('models = ["scripted-x"]\nscript = "none.json"', "does not exist"),
    ],
)
def test_a_mistaken_table_is_told_with_its_place(tmp_path: Path, table: str, told: str):
    with pytest.raises(ProvidersError) as caught:
        read(tmp_path, f'["Sample Lab"]\n{table}')

    assert "providers.toml" in str(caught.value)
    assert "Sample Lab" in str(caught.value)
    assert told in str(caught.value)


@pytest.mark.parametrize("text", ["[broken", "name = 1"])
def test_a_file_that_is_no_table_of_providers_is_refused(tmp_path: Path, text: str):
    with pytest.raises(ProvidersError, match=r"providers\.toml"):
        read(tmp_path, text)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_a_secret_is_taken_out_of_a_stream_however_it_is_cut(size: int):
    text = f"a{KEY}b sk-can {KEY}{KEY} sk-canary-7f3".encode()
    redactor = Redactor(KEY)
    pieces = [text[n : n + size] for n in range(0, len(text), size)]

    cleaned = b"".join([*map(redactor.feed, pieces), redactor.rest()])

    assert cleaned == redact(text, KEY)
    assert KEY.encode() not in cleaned
    assert cleaned.startswith(b"a[redacted]b sk-can ")


def test_without_a_secret_nothing_is_taken_out():
    redactor = Redactor("")

    assert redactor.feed(b"abc") + redactor.rest() == b"abc"
    assert redact(b"abc", "") == b"abc"
