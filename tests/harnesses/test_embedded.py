"""The embedded harness: what it sends, what it keeps of a history, how it words results."""

from __future__ import annotations

from typing import Any

import pytest

from harnesses.data import CodeOpen, CodeText, Env, Options, Say
from harnesses.embedded import EXAMPLES, EmbeddedHarness
from oi_tui.protocol.calls import Result
from oi_tui.protocol.lmc import Message, message
from oi_tui.protocol.stream import TextDelta

ENV = Env(cwd="/work")
OPTIONS = Options(model="embedded/1.5b")
FIXED = 3 + 2 * len(EXAMPLES)  # system prompt, greeting, examples


def user(text: str, **extra: Any) -> Message:
    return message("user", "message", text, **extra)


def ran(code: str, result: Result, language: str = "python") -> list[Message]:
    """A block and what came of it, as a session keeps them."""
    call = {"id": "block_1", "name": "run"}
    return [
        message("assistant", "code", code, language, call={**call, "arguments": ""}),
        message("computer", "console", result.text, "output", call={**call, "result": result.facts()}),
    ]


def sent(history: list[Message], env: Env = ENV) -> list[dict[str, str]]:
    """What comes after the fixed part."""
    return EmbeddedHarness().build(history, env, OPTIONS)["messages"][FIXED:]


def test_the_body() -> None:
    body = EmbeddedHarness().build([user("quack")], ENV, OPTIONS)
    assert body["model"] == "embedded/1.5b"
    assert (body["temperature"], body["max_tokens"], body["stream"]) == (0, 320, True)
    roles = [one["role"] for one in body["messages"]]
    assert roles == ["system", *["user", "assistant"] * (1 + len(EXAMPLES)), "user"]
    assert body["messages"][-1] == {"role": "user", "content": "quack"}
    assert "tools" not in body
    assert sum(len(one["content"]) for one in body["messages"]) < 4 * 500


def test_options_are_respected() -> None:
    options = Options(model="m", max_tokens=50, temperature=0.5)
    body = EmbeddedHarness().build([user("x")], ENV, options)
    assert (body["temperature"], body["max_tokens"]) == (0.5, 50)


def test_the_fixed_part_does_not_depend_on_the_question() -> None:
    one = EmbeddedHarness().build([user("a")], ENV, OPTIONS)["messages"]
    other = EmbeddedHarness().build([user("b"), *ran("1", Result(True, "1")), user("c")], ENV, OPTIONS)["messages"]
    assert one[:FIXED] == other[:FIXED] == EmbeddedHarness().build([], ENV, OPTIONS)["messages"]


@pytest.mark.parametrize(("request_", "language", "code"), EXAMPLES)
def test_the_examples_are_what_the_reader_takes(request_: str, language: str, code: str) -> None:
    harness = EmbeddedHarness()
    body = harness.build([], ENV, OPTIONS)
    at = next(index for index, one in enumerate(body["messages"]) if one["content"] == request_)
    reader = harness.reader(ENV)
    reader.feed(TextDelta(body["messages"][at + 1]["content"]))
    parsed = reader.finish()[1]
    wanted = "shell" if language == "bash" else language
    assert [(call.name, call.args) for call in parsed.calls] == [("run", {"language": wanted, "code": code})]
    assert not parsed.text
    if language == "python":
        compile(code, "example", "exec")


def test_system_message_and_instructions() -> None:
    harness = EmbeddedHarness()
    own = harness.system(Env(cwd="/", system_message="Be a pirate.", custom_instructions="Use French."))
    assert own == "Be a pirate.\n\nUse French."
    assert harness.system(Env(cwd="/", custom_instructions="Use French.")).endswith("\n\nUse French.")
    assert "code" in harness.system(ENV)


@pytest.mark.parametrize(
    ("python", "told"),
    [("", False), ("3.12.1 with numpy, pandas, scipy", False), ("3.12.1 with numpy, pandas-stubs", True)],
)
def test_a_missing_pandas_is_told(python: str, told: bool) -> None:
    assert ("pandas is not installed" in EmbeddedHarness().system(Env(cwd="/", python=python))) == told


def test_files_are_named_only_when_there_are_some() -> None:
    assert sent([user("plot it")])[-1]["content"] == "plot it"
    env = Env(cwd="/", user_files="sales.csv: region,revenue")
    assert sent([user("plot it")], env)[-1]["content"] == "plot it\n\nsales.csv: region,revenue"
    failed = [user("plot it"), *ran("1/0", Result(False, "ZeroDivisionError"))]
    assert sent(failed, env)[0]["content"] == "plot it\n\nsales.csv: region,revenue"


def test_earlier_exchanges_take_turns() -> None:
    history = [
        user("count files"),
        *ran("ls | wc -l", Result(True, "7\n"), "shell"),
        user("hello"),
        message("assistant", "message", "Hello."),
        user("and now?"),
    ]
    assert sent(history) == [
        {"role": "user", "content": "count files"},
        {"role": "assistant", "content": "```bash\nls | wc -l\n```"},
        {"role": "user", "content": "Output:\n7\n\nhello"},
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": "and now?"},
    ]


def test_a_failure_is_shown_with_its_code() -> None:
    error = "Traceback\n  x\nZeroDivisionError: division by zero"
    last = sent([user("divide"), *ran("1/0", Result(False, error, exit_code=1))])
    assert [one["role"] for one in last] == ["user", "assistant", "user"]
    assert last[1]["content"] == "```python\n1/0\n```"
    assert last[2]["content"].startswith("That failed:\nTraceback")
    assert "without this error" in last[2]["content"]


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        (
            'half\nTraceback (most recent call last):\n  File "<cell 3>", line 2, in <module>\n    total(rows)\n'
            '  File "<cell 3>", line 1, in total\n    return rows["x"]\n           ~~~~^^^^^\n'
            "  File \"/usr/lib/python3.11/csv.py\", line 9, in get\n    raise KeyError(key)\nKeyError: 'x'",
            "KeyError: 'x'\nin this line: return rows[\"x\"]",
        ),
        (
            "Traceback (most recent call last):\nKeyError: 1\n\nDuring handling of it:\n\n"
            "Traceback (most recent call last):\n"
            '  File "<cell 1>", line 4, in <module>\n    go()\nValueError: two\nlines',
            "ValueError: two\nlines\nin this line: go()",
        ),
        ("Traceback (most recent call last):\n  x", "Traceback (most recent call last):\n  x"),
        ("sh: nope: not found", "sh: nope: not found"),
    ],
)
def test_a_traceback_is_shown_as_its_message_and_the_line_of_the_block(error: str, shown: str) -> None:
    told = EmbeddedHarness().observe("run", Result(False, error, exit_code=1))
    assert told == f"That failed:\n{shown}\n\nWrite the whole code again without this error."


def test_only_the_newest_exchanges_are_kept() -> None:
    history = [one for number in range(20) for one in (user(f"q{number}"), *ran("1", Result(True, "1")))]
    contents = [one["content"] for one in sent([*history, user("last")])]
    assert contents[0] == "q16"
    assert contents[-1].endswith("last")


@pytest.mark.parametrize("piece", ["word ", "日本語", "x" * 200])
def test_it_fits_the_window_whatever_the_history_holds(piece: str) -> None:
    long = piece * (40_000 // len(piece))
    history = [
        user("start " + long),
        *ran(long, Result(True, long)),
        user("then " + long + " the end"),
        *ran(long, Result(False, long, exit_code=1)),
        *ran("short", Result(False, "no", exit_code=1)),
    ]
    body = EmbeddedHarness().build(history, ENV, OPTIONS)
    wide = sum(sum(ord(char) > 127 for char in one["content"]) for one in body["messages"])
    narrow = sum(len(one["content"]) for one in body["messages"]) - wide
    assert narrow / 4 + wide + 320 < 4096
    last = body["messages"][FIXED:]
    assert last[0]["content"].startswith("then")
    assert last[0]["content"].endswith("the end")
    assert last[-2]["content"] == "```python\nshort\n```"


def test_a_note_of_the_program_is_no_new_request() -> None:
    history = [user("go"), message("assistant", "message", "ok"), user("(stopped)", recipient="assistant")]
    env = Env(cwd="/", user_files="a.csv")
    assert sent(history, env)[0]["content"] == "go\n\na.csv"


def test_attachments_belong_to_the_request() -> None:
    history = [message("user", "file", "data.csv", "path"), user("read it")]
    assert sent(history) == [{"role": "user", "content": "data.csv\n\nread it"}]


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (Result(True, "  42\n"), ["Output:\n42"]),
        (Result(True), ["(nothing)"]),
        (Result(True, "a" * 5000), ["aaa\n...\naaa"]),
        (Result(False, "boom", exit_code=3), ["That failed:\nboom", "Write the whole code again"]),
        (Result(False, "", exit_code=3), ["exit code 3"]),
        (Result(False, "ModuleNotFoundError: No module named 'pandas'"), ["without pandas, which is not installed"]),
        (Result(False, "", timed_out=True), ["took too long"]),
        (Result(False, "half", interrupted=True), ["I stopped that code"]),
        (Result(False, "", rejected=True, note="too risky"), ["did not let that code run", "too risky"]),
        (Result(False, "x", note="the kernel died"), ["the kernel died"]),
    ],
)
def test_results_in_words(result: Result, words: list[str]) -> None:
    text = EmbeddedHarness().observe("run", result)
    assert all(word in text for word in words), text
    assert len(text) < 1200


def test_only_the_first_block_is_a_call_and_prose_is_chat() -> None:
    reader = EmbeddedHarness().reader(ENV)
    pieces = list(reader.feed(TextDelta("Sure.\n```python\nprint(1)\n```\n```python\nprint(2)\n```\n")))
    rest, parsed = reader.finish()
    assert [*pieces, *rest][:3] == [Say("Sure."), CodeOpen(0, "python"), CodeText(0, "print(1)")]
    assert [call.args["code"] for call in parsed.calls] == ["print(1)"]
    reader = EmbeddedHarness().reader(ENV)
    reader.feed(TextDelta("A list comprehension builds a list."))
    assert reader.finish()[1].calls == ()


def test_the_call_has_a_binding_that_is_not_advertised() -> None:
    harness = EmbeddedHarness()
    binding = harness.binding("run", ENV)
    assert binding is not None
    assert (binding.executor, binding.code_field, binding.language_field) == ("code", "code", "language")
    assert binding.title is not None
    assert binding.title({"language": "shell"}) == "run shell"
    assert list(harness.tools(ENV)) == []
    assert harness.binding("read", ENV) is None
    assert harness.single_step
    assert not harness.uses_tools


def test_requests_that_resemble_it_come_right_before_it() -> None:
    history = [user("hello"), message("assistant", "message", "Hello."), user("what is the median cost in b.csv?")]
    messages = EmbeddedHarness().build(history, ENV, OPTIONS)["messages"][FIXED:]
    assert [one["content"] for one in messages[:2]] == ["hello", "Hello."]
    assert messages[-3]["content"] == "what is the median price in orders.csv?"
    assert messages[-2]["content"].startswith("```python\n")
    assert messages[-1]["content"] == "what is the median cost in b.csv?"


def test_the_second_attempt_is_free_to_differ_and_the_last() -> None:
    failed = [user("divide"), *ran("1/0", Result(False, "ZeroDivisionError"))]
    assert EmbeddedHarness().build(failed, ENV, OPTIONS)["temperature"] > 0
    fixed = Options(model="m", temperature=0.0)
    assert EmbeddedHarness().build(failed, ENV, fixed)["temperature"] == 0
    assert EmbeddedHarness().build([*failed, user("so?")], ENV, OPTIONS)["temperature"] == 0
    assert EmbeddedHarness.limits.steps == 2


def test_slips_are_mended_before_they_are_shown_as_a_call() -> None:
    reader = EmbeddedHarness().reader(ENV)
    reader.feed(TextDelta("```python\nplt.plot([1])\n```\n"))
    assert reader.finish()[1].calls[0].args["code"] == "import matplotlib.pyplot as plt\n\nplt.plot([1])"


def test_half_of_a_block_is_not_mended() -> None:
    reader = EmbeddedHarness().reader(ENV)
    reader.feed(TextDelta("```python\nplt.plot([1])"))
    parsed = reader.finish()[1]
    assert parsed.unclosed
    assert parsed.calls[0].args["code"] == "plt.plot([1])"


def test_what_is_left_out_of_a_long_request_is_known() -> None:
    harness = EmbeddedHarness()
    text = "word " * 4000
    sent_text = sent([user(text)])[-1]["content"]
    assert harness.left_out([user(text)]) == len(text.strip()) - len(sent_text) > 5000
    assert harness.left_out([user("short")]) == harness.left_out([]) == 0
    assert harness.left_out([user(text), *ran("1/0", Result(False, "no"))]) == 0, "it is said once"


def test_a_request_that_refers_back_is_not_led_away() -> None:
    history = [user("list the files"), message("assistant", "message", "a, b"), user("delete them")]
    assert [one["content"] for one in sent(history)] == ["list the files", "a, b", "delete them"]


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (
            '```json\nwith open("a.json") as f:\n    print(f.read())\n```',
            'with open("a.json") as f:\n    print(f.read())',
        ),
        ("```\nimport os\n\nprint(os.name)\n```\n", "import os\n\nprint(os.name)"),
        ('```json\n{"a": 1}\n```', ""),
        ("It is done so:\n```text\nprint(1)\n```", ""),
    ],
)
def test_a_program_below_the_tag_of_a_file_is_run(answer: str, code: str) -> None:
    reader = EmbeddedHarness().reader(ENV)
    pieces = [piece for at in range(0, len(answer), 3) for piece in reader.feed(TextDelta(answer[at : at + 3]))]
    rest, parsed = reader.finish()
    said = "".join(one.text for one in [*pieces, *rest] if isinstance(one, Say))
    assert [call.args["code"] for call in parsed.calls] == ([code] if code else [])
    assert said.strip() == parsed.text.strip() == ("" if code else answer.strip())
