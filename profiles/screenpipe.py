"""Finds what was on your screen or said near your machine, with screenpipe on this machine (localhost:3030)."""

from interpreter import interpreter

interpreter.llm.model = "groq/openai/gpt-oss-120b"

interpreter.computer.run(
    "python",
    """
import json, urllib.parse, urllib.request

def search_screenpipe(query, limit=5, start_time=None, end_time=None):
    "What screenpipe has recorded about `query`: a list of dicts. Times as 2026-11-30T09:00:00Z."
    asked = {"q": query, "limit": limit, "content_type": "all", "start_time": start_time, "end_time": end_time}
    words = urllib.parse.urlencode({key: value for key, value in asked.items() if value is not None})
    with urllib.request.urlopen("http://localhost:3030/search?" + words, timeout=30) as answer:
        return json.load(answer)["data"]
""",
)

interpreter.custom_instructions = """
The user asks about what they have seen or heard on this machine. In Python, search_screenpipe(query, limit, start_time,
end_time) is there already. Search with few words, widen the times when nothing comes, and quote what you found.
""".strip()
