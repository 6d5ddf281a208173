"""Where the DejaVu font is installed, which letters the pictures and printed boards."""

from __future__ import annotations

from pathlib import Path

import cv2

FOLDERS = (Path(cv2.__file__).parent / "qt" / "fonts", Path("/usr/share/fonts/truetype/dejavu"))
"""opencv-python ships it on Linux; opencv-python-headless does not, but Debian's fonts-dejavu-core does."""
FONTS = next((folder for folder in FOLDERS if folder.is_dir()), FOLDERS[0])
