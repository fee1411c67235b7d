"""What programs and models find on the computer: all devices with their methods, as Open Interpreter 0.4 has them."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
from typing import Any
from unittest import mock

import pytest

from oi_tui.computer.devices.base import NAMES
from oi_tui.computer.kernels import computer_child

# Methods with their parameters, from its documentation and source.
CLASSIC = {
    "keyboard": {
        "write": "text interval delay **kwargs", "press": "*args presses interval",
        "press_and_release": "*args presses interval", "hotkey": "*args interval", "down": "key", "up": "key",
    },
    "mouse": {
        "move": "*args x y icon text screenshot", "click": "*args button clicks interval **kwargs",
        "double_click": "*args button interval **kwargs", "triple_click": "*args button interval **kwargs",
        "right_click": "*args **kwargs", "scroll": "clicks", "position": "", "down": "", "up": "",
    },
    "display": {
        "size": "", "center": "", "info": "",
        "screenshot": "screen show quadrant active_app_only combine_screens",
        "view": "show quadrant screen combine_screens active_app_only", "find": "description screenshot",
        "find_text": "text screenshot", "get_text_as_list_of_lists": "screenshot",
    },
    "clipboard": {"view": "", "copy": "text", "paste": ""},
    "os": {"get_selected_text": "", "notify": "text"},
    "files": {"search": "*args **kwargs", "edit": "path original_text replacement_text"},
    "browser": {
        "setup": "headless", "search": "query", "fast_search": "query", "search_google": "query delays",
        "go_to_url": "url", "analyze_page": "intent", "quit": "",
    },
    "ai": {"chat": "text base64", "query": "text query custom_reduce_query", "summarize": "text"},
    "skills": {"list": "", "search": "query", "run": "skill", "import_skills": ""},
    "vision": {
        "load": "load_moondream load_easyocr", "ocr": "base_64 path lmc pil_image",
        "query": "query base_64 path lmc pil_image",
    },
    "calendar": {
        "get_events": "start_date end_date", "create_event": "title start_date end_date location notes calendar",
        "delete_event": "event_title start_date calendar", "get_first_calendar": "",
    },
    "contacts": {
        "get_phone_number": "contact_name", "get_email_address": "contact_name",
        "get_full_names_from_first_name": "first_name",
    },
    "mail": {
        "get": "number unread", "send": "to subject body attachments", "unread_count": "",
        "calculate_upload_delay": "attachments", "format_path_for_applescript": "file_path",
    },
    "sms": {
        "send": "to message", "get": "contact limit substring", "can_access_database": "",
        "prompt_full_disk_access": "", "resolve_database_path": "",
    },
    "docs": {"search": "query module paths"},
}  # fmt: skip


@pytest.fixture
def computer() -> Any:
    return importlib.import_module("interpreter.core.computer.computer").Computer(mock.Mock())


def test_the_lists_that_classic_programs_ask_for(computer: Any) -> None:
    assert len(computer._get_all_computer_tools_list()) == 15
    told = computer._get_all_computer_tools_signature_and_description()
    assert len(told) > 64
    assert "computer.keyboard.write(text, interval=None, delay=0.3, **kwargs) # Type text where the cursor is." in told
    assert all(one in computer.system_message for one in told)
    assert "(self" not in computer.system_message


@pytest.mark.parametrize("name", CLASSIC)
def test_every_method_takes_what_it_took(computer: Any, name: str) -> None:
    for method, wanted in CLASSIC[name].items():
        parameters = inspect.signature(getattr(getattr(computer, name), method)).parameters.values()
        given = [str(one).partition(":")[0].partition("=")[0] for one in parameters]
        assert given[: len(wanted.split())] == wanted.split(), f"{name}.{method}"
    module = importlib.import_module(f"interpreter.core.computer.{name}.{name}")
    assert isinstance(getattr(computer, name), getattr(module, name.capitalize()))


def test_the_kernel_has_the_same_ones() -> None:
    assert {*computer_child.DEVICES, "skills", "files"} == set(NAMES) == set(CLASSIC)


def test_asking_for_devices_loads_no_library() -> None:
    program = (
        "import sys\nfrom interpreter import computer\ncomputer.mouse, computer.browser, computer.display\n"
        "len(computer.system_message)\n"
        "print(sorted({'mss', 'pyautogui', 'playwright', 'cv2', 'numpy', 'pytesseract', 'Xlib'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ran.stdout == "[]\n", ran.stderr


def test_what_is_not_there_is_an_error(computer: Any) -> None:
    with pytest.raises(AttributeError, match="the computer has no 'nothing'"):
        computer.nothing  # noqa: B018
