"""Programs as tutorials for Open Interpreter 0.4 show them, run as they stand: streaming, a batch, sessions with
checkpoints and a budget."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from oi_tui import paths
from tests.mock_model import MockModel, answer, code, http, say


def ran(mock: MockModel, program: str, cwd: Path) -> str:
    env = {**os.environ, "OI_LLM_API_BASE": mock.url, "OI_LLM_CONTEXT_WINDOW": "200000"}
    command = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False, cwd=cwd, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


STREAMING = """
from interpreter import interpreter

interpreter.llm.model = "gpt-4o"
interpreter.llm.temperature = 0
interpreter.auto_run = True
interpreter.system_message += "\\nRun shell commands with -y so the user doesn't have to confirm them."

current = ""
for chunk in interpreter.chat("What operating system are we on?", display=False, stream=True):
    if chunk.get("start"):
        current = chunk["type"]
        print(f"[{chunk['role']} {current}]")
    elif chunk.get("end"):
        print()
    elif chunk["type"] == "message":
        print(chunk["content"], end="", flush=True)
    elif chunk["type"] == "code":
        print(chunk["content"], end="")
    elif chunk["type"] == "console" and chunk.get("format") == "output":
        print(chunk["content"], end="")

print("MESSAGES", len(interpreter.messages))
interpreter.reset()
print("AFTER", interpreter.messages)
"""


def test_the_streaming_loop(tmp_path: Path) -> None:
    steps = [answer(say("I look."), code("python", "print('L' + 'inux')")), say("Linux.")]
    with MockModel(steps) as mock:
        out = ran(mock, STREAMING, tmp_path)
        assert "doesn't have to confirm them" in str(mock.requests[0]["messages"][0])
        assert mock.requests[0]["model"] == "gpt-4o" and mock.requests[0]["temperature"] == 0
    assert "[assistant message]\nI look.\n[assistant code]\nprint('L' + 'inux')\n[computer console]\nLinux\n" in out
    assert "MESSAGES 5" in out and "AFTER []" in out


BATCH = """
import json
from interpreter import interpreter

interpreter.auto_run = True
interpreter.llm.model = "gpt-4o"
interpreter.llm.supports_functions = True

results = []
for number, task in enumerate(["square 3", "fail", "square 5"]):
    interpreter.messages = []
    try:
        messages = interpreter.chat(task, display=False)
        results.append({"task": task, "answer": messages[-1]["content"], "ok": True})
    except Exception as error:
        results.append({"task": task, "answer": str(error)[:40], "ok": False})
    with open(f"conversation-{number}.json", "w") as file:
        json.dump(interpreter.messages, file)
print(json.dumps([one["ok"] for one in results]), results[0]["answer"], results[2]["answer"])
"""


def test_a_batch_goes_on_after_a_failure(tmp_path: Path) -> None:
    steps = [
        code("python", "3 ** 2"), say("nine"), http(400, {"error": {"message": "no"}}), code("python", "5 ** 2"),
        say("twenty-five"),
    ]  # fmt: skip
    with MockModel(steps) as mock:
        out = ran(mock, BATCH, tmp_path)
        assert "[true, false, true] nine twenty-five" in out
        assert "square 3" not in str(mock.requests[-1]["messages"])
    assert len(list(tmp_path.glob("conversation-*.json"))) == 3


SESSIONS = """
import json
from pathlib import Path
from interpreter import OpenInterpreter

class Sessions:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(exist_ok=True)

    def new(self, budget):
        agent = OpenInterpreter(conversation_history=False)
        agent.auto_run = True
        agent.llm.model = "gpt-4o"
        agent.llm.max_budget = budget
        agent.max_turns = 5
        return agent

    def checkpoint(self, agent, name):
        (self.folder / f"{name}.json").write_text(json.dumps(agent.messages))

    def restore(self, name, budget):
        agent = self.new(budget)
        agent.messages = json.loads((self.folder / f"{name}.json").read_text())
        return agent

sessions = Sessions("checkpoints")
one = sessions.new(1.0)
one.chat("remember seven", display=False)
sessions.checkpoint(one, "first")
two = sessions.restore("first", 1.0)
print("RESTORED", two.chat("what was it?", display=False)[-1]["content"], len(two.messages))
print("FIRST", len(one.messages))
poor = sessions.restore("first", 0.000001)
import warnings
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    new = poor.chat("go on at any price", display=False)
print("POOR", new, poor.last_stop.reason, "budget" in str(told[0].message))
"""


def test_a_session_manager_with_checkpoints_and_a_budget(tmp_path: Path) -> None:
    paths.private_dir(paths.home())  # the mock is a server of this machine, so its model has no price by itself
    paths.config_file().write_text('[models."gpt-4o"]\ninput_price = 2.5\noutput_price = 10\n')
    with MockModel([say("I will."), say("Seven.")]) as mock:
        out = ran(mock, SESSIONS, tmp_path)
        assert len(mock.requests) == 2 and "remember seven" in str(mock.requests[1]["messages"])
    assert "RESTORED Seven. 4" in out and "FIRST 2" in out and "POOR [] limit True" in out


ASYNC = """
import asyncio
from interpreter import AsyncInterpreter

async def main():
    agent = AsyncInterpreter(conversation_history=False)
    agent.auto_run = True
    agent.llm.model = "gpt-4o"
    for piece in ({"role": "user", "start": True}, {"role": "user", "type": "message", "content": "two and two?"},
                  {"role": "user", "end": True}):
        await agent.input(piece)
    while True:
        chunk = await agent.output()
        if chunk.get("content") == "complete":
            break
        if chunk["type"] == "message" and "content" in chunk:
            print(chunk["content"], end="")
    print()

asyncio.run(main())
"""


def test_the_async_interpreter(tmp_path: Path) -> None:
    with MockModel([code("python", "2 + 2"), say("Four.")]) as mock:
        assert ran(mock, ASYNC, tmp_path) == "Four.\n"
