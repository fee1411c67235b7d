"""A profile to copy: a Python program that sets attributes of `interpreter`."""

from interpreter import interpreter

# Which model, and how it is asked.
interpreter.llm.model = "groq/openai/gpt-oss-120b"
interpreter.llm.temperature = 0
# interpreter.llm.context_window = 32_768
# interpreter.llm.max_tokens = 2_000
# interpreter.llm.supports_vision = False
# interpreter.llm.supports_functions = True
# interpreter.llm.api_base, interpreter.llm.api_key = "http://127.0.0.1:8000/v1", "x"

# How it works.
interpreter.auto_run = False
interpreter.loop = True  # goes on until it says that the task is done
interpreter.max_output = 2_800
interpreter.custom_instructions = "Answer in short sentences."

# Code that is there before the first block runs.
interpreter.computer.run("python", "def twice(text):\n    return text * 2")
