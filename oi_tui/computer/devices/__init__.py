"""The devices of the `computer` object: mouse, keyboard, display, browser and so on, one module each.

They work in the process that holds them: a program that uses `interpreter.computer`, or the device process that serves
the kernel's code and the `computer` tool (`process.py`, `__main__.py`). What they need of the outside, a model above
all, they ask their computer for (`rack.Devices`). Libraries are imported with the first use.
"""
