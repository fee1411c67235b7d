"""Answers from the documentation of AWS, looked up with Perplexity. Needs PPLX_API_KEY and ANTHROPIC_API_KEY."""

from interpreter import interpreter

interpreter.llm.model = "claude-sonnet-5-5"
interpreter.llm.supports_vision = interpreter.llm.supports_functions = True

interpreter.computer.run(
    "python",
    """
import json, os, urllib.request

def search_aws_docs(query):
    "What the documentation of AWS says on `query`, as text."
    body = {"model": "sonar", "messages": [
        {"role": "system", "content": "Answer from docs.aws.amazon.com alone, with code where there is some."},
        {"role": "user", "content": query},
    ]}
    request = urllib.request.Request(
        "https://api.perplexity.ai/chat/completions", json.dumps(body).encode(),
        {"Authorization": "Bearer " + os.environ["PPLX_API_KEY"], "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)["choices"][0]["message"]["content"]
""",
)

interpreter.custom_instructions = """
The user works with AWS. Look up what you are not sure of: in Python, search_aws_docs(query) is there already and gives
text. Prefer boto3 and the aws command line; say what an action would cost or delete before you take it.
""".strip()
