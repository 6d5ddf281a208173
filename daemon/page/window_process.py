"""The window's process: reads pictures from standard input, writes pressed keys to standard output, one per line.

A separate program because OpenCV's window aborts the whole process if there is no display, or when it goes away.
A picture is two 32-bit numbers, width and height in pixels, and its rows of BGR bytes. The process ends with its
input, or when somebody closes the window.
"""

import os
import struct
import sys
import threading
from typing import BinaryIO

import cv2
import numpy as np

HEAD = struct.Struct("<II")
MAX_PX = 8192
LOOK_MS = 30


class Newest:
    """Holds the newest picture; None once it has been taken."""

    def __init__(self) -> None:
        self.image: np.ndarray | None = None


def main() -> None:
    newest, title = Newest(), sys.argv[1]
    threading.Thread(target=receive, args=(sys.stdin.buffer, newest), daemon=True).start()
    cv2.namedWindow(title, cv2.WINDOW_NORMAL | cv2.WINDOW_KEEPRATIO | cv2.WINDOW_GUI_NORMAL)
    sized = False
    while True:
        image, newest.image = newest.image, None
        if image is not None:
            cv2.imshow(title, image)
            if not sized:
                cv2.resizeWindow(title, image.shape[1], image.shape[0])
                sized = True
        key = cv2.waitKey(LOOK_MS)
        if 32 <= key & 0xFF < 127 and key >= 0:
            sys.stdout.write(chr(key & 0xFF) + "\n")
            sys.stdout.flush()
        if sized and cv2.getWindowProperty(title, cv2.WND_PROP_VISIBLE) < 1:
            return


def receive(source: BinaryIO, newest: Newest) -> None:
    """Stores the newest picture; exits the process at the end of the input."""
    while len(head := source.read(HEAD.size)) == HEAD.size:
        width, height = HEAD.unpack(head)
        if not (0 < width <= MAX_PX and 0 < height <= MAX_PX):
            break
        data = source.read(width * height * 3)
        if len(data) < width * height * 3:
            break
        newest.image = np.frombuffer(data, np.uint8).reshape(height, width, 3)
    os._exit(0)


if __name__ == "__main__":
    main()
