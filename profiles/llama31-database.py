"""Questions to a PostgreSQL database, answered by Llama on Ollama. DB_USER, DB_PASSWORD, DB_HOST, DB_PORT, DB_NAME."""

import os

from interpreter import interpreter

interpreter.llm.model = "ollama/llama3.1"
interpreter.llm.supports_functions = False
interpreter.llm.context_window, interpreter.llm.max_tokens = 8192, 1200
interpreter.offline = True

user, host = os.environ.get("DB_USER", "user"), os.environ.get("DB_HOST", "localhost")
port, name = os.environ.get("DB_PORT", "5432"), os.environ.get("DB_NAME", "demo_database")

interpreter.custom_instructions = f"""
The user asks about the PostgreSQL database {name!r} on {host}:{port}; you are {user!r} there. Connect in Python with
sqlalchemy, the password from os.environ.get("DB_PASSWORD", ""): never print it. Look at the tables and their columns in
information_schema first, then write the query. Change nothing unless the user asks for it in so many words.
""".strip()
