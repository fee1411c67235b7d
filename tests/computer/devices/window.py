"""A small window for tests, drawn with nothing but Xlib and Pillow: a button "Save", a button "Cancel" and a field.

It tells on standard output what happens to it, a JSON object a line: `{"ready": true}`, `{"key": "a", "text": "a"}`,
`{"button": "Save", "with": 1}`, `{"wheel": 4}`. Arguments: left, top.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from PIL import Image, ImageDraw, ImageFont
from Xlib import XK, X
from Xlib.display import Display

WIDTH, HEIGHT = 560, 320
BUTTONS = {"Save": (40, 40, 220, 110), "Cancel": (300, 40, 500, 110)}
FIELD = (40, 160, 520, 230)
CHARACTERS = {XK.XK_Return: "\n", XK.XK_Tab: "\t"}


def tell(**what: Any) -> None:
    print(json.dumps(what), flush=True)


def picture(text: str) -> Image.Image:
    made = Image.new("RGB", (WIDTH, HEIGHT), "white")
    draw, font = ImageDraw.Draw(made), ImageFont.load_default(size=32)
    for name, box in BUTTONS.items():
        draw.rectangle(box, outline="black", width=2)
        draw.text((box[0] + 45, box[1] + 14), name, fill="black", font=font)
    draw.rectangle(FIELD, outline="gray", width=2)
    draw.text((FIELD[0] + 12, FIELD[1] + 14), text, fill="black", font=font)
    draw.ellipse((240, 250, 290, 300), fill="red", outline="black", width=3)
    draw.rectangle((258, 268, 272, 282), fill="yellow")
    return made


def put(window: Any, graphics: Any, image: Image.Image) -> None:
    """Draw it, in strips that fit a request."""
    for top in range(0, HEIGHT, 40):
        strip = image.crop((0, top, WIDTH, min(HEIGHT, top + 40)))
        data = strip.convert("RGB").tobytes("raw", "BGRX")
        window.put_image(graphics, 0, top, strip.width, strip.height, X.ZPixmap, 24, 0, data)


def main(left: int, top: int) -> None:
    display = Display()
    screen = display.screen()
    window = screen.root.create_window(
        left, top, WIDTH, HEIGHT, 0, screen.root_depth, X.InputOutput, X.CopyFromParent,
        event_mask=X.ExposureMask | X.ButtonPressMask | X.ButtonReleaseMask | X.KeyPressMask,
    )  # fmt: skip
    window.set_wm_name("Little Window")
    graphics, text, ready = window.create_gc(), "", False
    window.map()
    while True:
        event = display.next_event()
        if event.type == X.Expose:
            window.set_input_focus(X.RevertToParent, X.CurrentTime)
            put(window, graphics, picture(text))
            display.sync()
            if not ready:
                ready = True
                tell(ready=True)
        elif event.type == X.ButtonPress:
            pressed(event, window)
        elif event.type == X.ButtonRelease and event.detail == 1:
            tell(released=[event.event_x, event.event_y])
        elif event.type == X.MappingNotify:
            display.refresh_keyboard_mapping(event)
        elif event.type == X.KeyPress:
            keysym = display.keycode_to_keysym(event.detail, 1 if event.state & X.ShiftMask else 0)
            if keysym in (XK.XK_Shift_L, XK.XK_Control_L, XK.XK_Alt_L):
                continue
            held = [name for name, mask in (("ctrl", X.ControlMask), ("alt", X.Mod1Mask)) if event.state & mask]
            if held:
                tell(keys=[*held, XK.keysym_to_string(keysym) or hex(keysym)])
                continue
            character = CHARACTERS.get(keysym) or chr(keysym - 0x01000000 if keysym > 0x01000000 else keysym)
            text += character
            tell(key=character, text=text)
            put(window, graphics, picture(text[-20:]))
            display.sync()


def pressed(event: Any, window: Any) -> None:
    if event.detail > 3:
        tell(wheel=event.detail)
        return
    window.set_input_focus(X.RevertToParent, X.CurrentTime)
    for name, box in BUTTONS.items():
        if box[0] <= event.event_x <= box[2] and box[1] <= event.event_y <= box[3]:
            tell(button=name, **{"with": event.detail})
            return
    tell(at=[event.event_x, event.event_y], **{"with": event.detail})


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
