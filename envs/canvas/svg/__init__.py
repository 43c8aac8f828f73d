"""SVG: path data and markup into outlines on the canvas, for ``draw_svg`` and for the shapes."""
