"""Where DejaVu lies, in which pictures and printed boards are lettered."""

from __future__ import annotations

from pathlib import Path

import cv2

FOLDERS = (Path(cv2.__file__).parent / "qt" / "fonts", Path("/usr/share/fonts/truetype/dejavu"))
"""It comes with opencv-python on Linux; opencv-python-headless has none, but Debian's fonts-dejavu-core has."""
FONTS = next((folder for folder in FOLDERS if folder.is_dir()), FOLDERS[0])
