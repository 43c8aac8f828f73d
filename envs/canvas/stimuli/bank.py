"""The bank: thirty starting shapes, each a few strokes written as SVG path data in canvas pixels (400 x 400).

They are shapes of our own, made by the principles of MTCI's incomplete drawings (Barbot, 2018; PainterBench, section 3)
and after none of its items. Fragments (``is``) are one to three strokes that enclose nothing: they should start a
thought without ending it. Objects (``ot``) are plain outlines that anyone names at once, to be made into others.

Results on the bank compare only as long as it stays as it is. Tests hold digests of its text and of its pixels, so a
change is noticed; after release 0.1.0 it means a new version of the environment.
"""

from __future__ import annotations

FRAGMENTS: dict[str, tuple[str, ...]] = {
    # A shallow bowl.
    "is01": ("M 104 202 A 84 84 0 0 0 266 216",),
    # A hook.
    "is02": ("M 100 150 H 232 A 36 36 0 0 1 232 222 H 212",),
    # A zigzag that grows.
    "is03": ("M 92 262 L 118 228 L 144 262 L 180 202 L 216 262 L 264 174",),
    # Two periods of a wave.
    "is04": ("M 112 182 C 130 138 136 138 154 182 S 178 226 196 182 S 220 138 238 182 S 262 226 280 182",),
    # The beginning of a spiral.
    "is05": ("M 164 184 A 14 14 0 0 1 192 184 A 28 28 0 0 1 136 184 A 42 42 0 0 1 220 184 A 56 56 0 0 1 108 184",),
    # An angle with arms of two lengths.
    "is06": ("M 186 118 L 282 184 L 208 270",),
    # Three parallel strokes.
    "is07": ("M 124 226 L 186 118", "M 166 244 L 234 126", "M 214 244 L 260 164"),
    # A double bend, small above and large below.
    "is08": ("M 134 158 C 130 108 198 96 208 142 C 218 190 122 204 134 256 C 144 300 232 298 268 244",),
    # A loop with a gap.
    "is09": ("M 240 158 A 62 62 0 1 0 272 214",),
    # Stairs.
    "is10": ("M 116 268 H 158 V 230 H 200 V 192 H 242 V 154 H 284",),
    # Two arches, one larger.
    "is11": ("M 106 232 C 120 148 196 136 216 214 C 228 166 276 166 288 218",),
    # A bracket with arms of two lengths.
    "is12": ("M 256 112 L 134 138 L 164 276 L 226 263",),
    # A twig.
    "is13": ("M 104 252 C 164 246 232 214 288 146", "M 202 218 C 198 182 178 154 146 138"),
    # A wedge of two curves.
    "is14": ("M 290 122 C 200 120 130 170 110 250 C 186 256 246 230 276 178",),
    # An arc above a line.
    "is15": ("M 104 256 H 244", "M 166 218 A 56 56 0 0 1 278 218"),
    # A fin.
    "is16": ("M 118 248 C 128 162 220 120 288 144 C 250 160 232 184 234 220",),
    # Scallops that grow.
    "is17": ("M 118 252 A 22 22 0 0 1 148 226 A 30 30 0 0 1 190 190 A 40 40 0 0 1 246 142",),
    # Nested arcs of unequal length.
    "is18": ("M 138 212 A 44 44 0 0 1 182 256", "M 138 172 A 84 84 0 0 1 211 214", "M 180 139 A 124 124 0 0 1 262 256"),
    # A stem and two strokes across it.
    "is19": ("M 244 106 C 180 150 168 224 204 290", "M 162 134 L 238 174", "M 150 221 H 216"),
    # A meander.
    "is20": ("M 138 258 V 142 H 262 V 226 H 184 V 186 H 222",),
}
"""Id -> path data of the fragments."""

OBJECTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "ot01": (
        "glasses",
        (
            "M 106 222 A 40 40 0 0 0 186 222 A 40 40 0 0 0 106 222 Z",
            "M 214 222 A 40 40 0 0 0 294 222 A 40 40 0 0 0 214 222 Z",
            "M 184 212 A 18 18 0 0 1 216 212",
            "M 108 208 L 134 150 A 16 16 0 0 1 156 142",
            "M 292 208 L 266 150 A 16 16 0 0 0 244 142",
        ),
    ),
    "ot02": (
        "scissors",
        (
            "M 200 184 L 236 98 C 246 132 238 172 216 206 L 228 238 A 29 29 0 1 1 212 276 C 210 256 206 240 200 228 "
            "C 194 240 190 256 188 276 A 29 29 0 1 1 172 238 L 184 206 C 162 172 154 132 164 98 Z",
            "M 224 265 A 15 15 0 0 0 254 265 A 15 15 0 0 0 224 265 Z",
            "M 146 265 A 15 15 0 0 0 176 265 A 15 15 0 0 0 146 265 Z",
        ),
    ),
    "ot03": (
        "umbrella",
        (
            "M 104 206 A 96 96 0 0 1 296 206 A 27 27 0 0 0 248 206 A 27 27 0 0 0 200 206 A 27 27 0 0 0 152 206 "
            "A 27 27 0 0 0 104 206 Z",
            "M 200 110 V 94",
            "M 200 206 V 282 A 20 20 0 0 1 160 282",
        ),
    ),
    "ot04": (
        "key",
        (
            "M 180 188 A 40 40 0 1 0 180 212 H 228 V 236 H 244 V 222 H 258 V 236 H 274 V 212 H 288 L 300 200 "
            "L 288 188 Z",
            "M 114 200 A 14 14 0 0 0 142 200 A 14 14 0 0 0 114 200 Z",
        ),
    ),
    "ot05": (
        "light bulb",
        (
            "M 176 248 C 176 216 138 206 138 160 A 62 62 0 0 1 262 160 C 262 206 224 216 224 248 Z",
            "M 176 248 V 278 L 190 294 H 210 L 224 278 V 248",
            "M 176 263 H 224",
            "M 176 278 H 224",
            "M 160 158 A 40 40 0 0 1 192 119",
        ),
    ),
    "ot06": (
        "mug",
        (
            "M 124 144 V 262 A 22 22 0 0 0 146 284 H 218 A 22 22 0 0 0 240 262 V 144",
            "M 124 144 A 58 16 0 0 0 240 144 A 58 16 0 0 0 124 144 Z",
            "M 240 172 H 252 A 40 40 0 0 1 252 252 H 240",
            "M 240 192 H 252 A 20 20 0 0 1 252 232 H 240",
        ),
    ),
    "ot07": (
        "bell",
        (
            "M 200 124 C 158 124 146 158 144 192 C 142 224 132 240 112 258 H 288 C 268 240 258 224 256 192 "
            "C 254 158 242 124 200 124 Z",
            "M 186 125 A 16 16 0 1 1 214 125",
            "M 176 258 A 24 24 0 0 0 224 258",
        ),
    ),
    "ot08": (
        "T-shirt",
        (
            "M 164 116 A 36 28 0 0 0 236 116 L 268 128 L 304 182 L 270 204 L 252 182 V 288 H 148 V 182 L 130 204 "
            "L 96 182 L 132 128 Z",
        ),
    ),
    "ot09": (
        "hammer",
        (
            "M 184 164 V 286 A 14 14 0 0 0 212 286 V 164",
            "M 122 108 H 144 L 156 118 H 218 C 256 118 282 134 296 164 C 274 146 250 148 232 164 H 156 "
            "L 144 174 H 122 Z",
        ),
    ),
    "ot10": (
        "watering can",
        (
            "M 136 164 H 222 L 232 276 H 126 Z",
            "M 225 204 L 274 147 L 272 124 L 308 152 L 287 158 L 229 242",
            "M 150 164 C 156 128 202 128 208 164",
            "M 135 178 C 80 158 64 250 128 256",
            "M 133 198 C 104 190 96 232 130 236",
        ),
    ),
}
"""Id -> name and path data of the objects."""
