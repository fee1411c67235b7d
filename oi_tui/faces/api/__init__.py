"""The Python API: `OpenInterpreter` and what belongs to it, for programs written for Open Interpreter 0.4.

    from interpreter import interpreter
    interpreter.auto_run = True
    interpreter.chat("how many lines has sales.csv?", display=False)

Everything runs in one background thread with an event loop of its own (`loop.py`), so instances work in scripts,
notebooks, threads and running loops alike. Nothing is made, read or asked before the first call that needs it.
"""
