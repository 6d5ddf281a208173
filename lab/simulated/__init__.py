"""A simulated table: board, men, hands, lamp and camera, rendered to look photographed, as one more frame source.

The world has its origin at the nominal board's top-left corner, x to the right, y towards the viewer, in millimetres;
heights are above the board's top face. Colours are BGR triples of 0 to 255 (sRGB) in styles, linear light inside.
"""
