"""The terms of a text, and that the index has the same."""

import threading

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace.language import analyzer
from commonplace.storage import migrations

NASTY = (
    "abcXYZ019 _-./:\\@#+*'’\"()[]{}&=~,^|`\t\n\u00a0\u2028\u3000éßİﬁ中文字かなカナ한국हि\u0301🍕"
)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("running runs", ["run", "run"]),
        ("Überraschung état İstanbul", ["uberraschung", "etat", "istanbul"]),
        ("Ｆｕｌｌ ﬁne", ["full", "fine"]),
        ("John's O’Brien", ["john", "o", "brien"]),
        ("COMMONPLACE_API_KEY", ["commonplace_api_key", "commonplac", "api", "key"]),
        ("src/app/main.py", ["src/app/main.py", "main.py", "src", "app", "main", "py"]),
        (
            "fooBarBaz HTTPServer",
            ["foobarbaz", "foo", "bar", "baz", "httpserver", "http", "server"],
        ),
        ("wi-fi", ["wi-fi", "wifi", "wi", "fi"]),
        ("1,000,000", ["1,000,000", "1000000", "1", "000"]),
        ("C++ C#", ["c++", "c", "c#", "c"]),
        ("PROJ-123", ["proj-123", "proj123", "proj", "123"]),
        ("ada@example.org", ["ada@example.org", "ada", "exampl", "org"]),
        ("苹果派", ["苹", "果", "派", "苹果", "果派"]),
        ("東京タワー", ["東", "京", "タ", "ワ", "ー", "東京", "京タ", "タワ", "ワー"]),
        ("검색", ["검", "색", "검색"]),
        ("हिन्दी", ["हिन्दी"]),
        ("🍕!", ["🍕"]),
        ("... --- !?", []),
    ],
)
def test_a_text_becomes_these_terms(given: str, expected: list[str]) -> None:
    assert analyzer.terms(given) == expected


def test_a_word_has_the_same_terms_in_plain_and_in_mixed_text() -> None:
    assert analyzer.terms("deploy-key v1.2.3 fooBar é")[:-1] == analyzer.terms(
        "deploy-key v1.2.3 fooBar"
    )


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the deploy key?", ["deploy", "key"]),
        ("what is it?", ["what", "is", "it"]),
        ("Does any key expire because of this?", ["key", "expir"]),
        ("the IT department", ["it", "depart"]),
        ("苹果在哪里", ["苹果"]),
        ("茶", ["茶"]),
        ("key key keys", ["key"]),
        ("?!", []),
    ],
)
def test_a_question_is_looked_up_by_these_terms(question: str, expected: list[str]) -> None:
    assert analyzer.question_terms(question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("where is COMMONPLACE_API_KEY set", ["commonplace_api_key"]),
        ("open src/app/main.py", ["src/app/main.py"]),
        ("upgrade to 3.11.4 or v2.0", ["3.11.4", "v2.0"]),
        ("ticket PROJ-123 and #42", ["42", "proj-123"]),
        ("what does fooBarBaz do", ["foobarbaz"]),
        ("what does UserServiceFactory do", ["userservicefactori"]),
        ("did I buy the iPhone, on GitHub or YouTube, for MoMA with macOS?", []),
        ("mail ada@example.org", ["ada@example.org"]),
        ('who said "red herring"', ["red herring"]),
        ("order 123456", ["123456"]),
        ("what happened in 2023 to 3 state-of-the-art cats", []),
        ("the 5-day trip of the 15th, 9am, by covid-19 rules, in the S22", ["covid-19", "s22"]),
        ("plain words only.", []),
    ],
)
def test_these_names_must_match_exactly(question: str, expected: list[str]) -> None:
    assert analyzer.identifiers(question) == expected


def index() -> apsw.Connection:
    """A text index with the tokenizer of the schema."""
    connection = apsw.Connection(":memory:")
    statement = next(
        s for s in migrations.schema_text().split(";\n") if "create virtual table text_index" in s
    )
    connection.execute(statement)
    connection.execute("create virtual table found using fts5vocab(text_index, 'instance')")
    return connection


@settings(max_examples=300, deadline=None)
@given(
    st.text(
        st.one_of(st.sampled_from(NASTY), st.characters(exclude_categories=("Cs",))), max_size=60
    )
)
def test_every_term_is_one_token_of_the_index(given: str) -> None:
    connection = index()
    connection.execute(
        "insert into text_index (rowid, body) values (1, ?)", (analyzer.index_text(given),)
    )
    found = [row[0] for row in connection.execute("select term from found order by offset")]
    connection.close()
    assert found == analyzer.terms(given)


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from(NASTY), max_size=40))
def test_the_terms_of_a_question_are_terms_of_the_same_text(given: str) -> None:
    assert set(analyzer.question_terms(given)) <= set(analyzer.terms(given))


def test_threads_can_stem_at_the_same_time() -> None:
    words = [f"{stem}ing" for stem in "walk talk jump run sing read play work".split()]
    alone = analyzer.terms(" ".join(words))
    seen: list[list[str]] = []
    threads = [
        threading.Thread(
            target=lambda n=n: seen.extend(
                analyzer.terms(" ".join([f"w{n}{i}", *words])) for i in range(200)
            )
        )
        for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 800
    assert all(found[1:] == alone for found in seen)


def test_only_words_of_labels_are_embedded() -> None:
    labels = "sprint-12 user:42 shop.opening_hours ae755baea52561576f24b703 v1.2 café 7b Öl"
    assert analyzer.plain_words(labels) == "sprint user shop opening hours café Öl"


@pytest.mark.parametrize(
    ("key", "is_digest"),
    [
        ("ae755baea52561576f24b703", True),
        ("ae755baea52561576f24b70", False),
        ("lamps.oil", False),
        ("", False),
    ],
)
def test_a_digest_is_recognised_by_its_form(key: str, *, is_digest: bool) -> None:
    assert analyzer.is_digest(key) is is_digest
