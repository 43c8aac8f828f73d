"""Themes of business cards. The title is a person's name or that of a firm; the first detail is a phone number."""

from __future__ import annotations

from designgym.layout.themes import Theme

_CONTACT = ("{phone}", "{mail}", "{address}|{number} {street}", "{web}")
_MAIL = {"mail": ("hello@{web}", "mail@{web}", "hi@{web}")}

CARDS = (
    Theme(
        "bakery", "business card", "warm",
        ("bread", "croissant", "baguette bread", "pretzel", "cupcake", "pie", "doughnut", "cookie"),
        ("{last} Bakery", "The {nice} Loaf", "{first}'s Bread", "Crumb & Crust", "{name}"),
        ("Bread and cake since 19{old}", "Master baker", "Baked before dawn", "Cakes to order"), (), _CONTACT,
        (), {**_MAIL, "old": ("52", "64", "78", "86", "93")},
    ),
    Theme(
        "florist", "business card", "romantic",
        ("bouquet", "tulip", "rose", "sunflower", "hibiscus", "cherry blossom", "potted plant", "hyacinth"),
        ("{first}'s Flowers", "The {nice} Stem", "Bloom & Co.", "{last} Florist", "{name}"),
        ("Florist", "Flowers for all days", "Weddings and gifts", "Fresh flowers daily"), (), _CONTACT, (), _MAIL,
    ),
    Theme(
        "photographer", "business card", "formal",
        ("camera", "sunrise", "sunrise over mountains", "framed picture"),
        ("{name}", "{last} Studio", "{nice} Light", "{name}"),
        ("Photographer", "Portraits and weddings", "Pictures of people", "Studio photography"), (), _CONTACT, (), _MAIL,
    ),
    Theme(
        "carpenter", "business card", "natural",
        ("hammer", "toolbox", "screwdriver", "hammer and wrench", "house", "axe", "evergreen tree"),
        ("{last} & Sons", "{name}", "{last} Woodwork", "The {nice} Workshop"),
        ("Carpenter and joiner", "Furniture made to measure", "Doors, floors and stairs", "Master carpenter"), (),
        _CONTACT, (), _MAIL,
    ),
    Theme(
        "architect", "business card", "formal",
        ("house", "classical building", "houses", "cityscape", "bridge at night", "house with garden"),
        ("{last} Architects", "{name}", "Studio {last}", "{last} + {last2}"),
        ("Architect", "Houses and gardens", "Architecture and planning", "Senior architect"), (), _CONTACT,
        (), {**_MAIL, "last2": ("Holm", "Berg", "Stein", "Vale")},
    ),
    Theme(
        "café", "business card", "warm",
        ("hot beverage", "teapot", "teacup without handle", "croissant", "cookie", "shortcake"),
        ("Café {last}", "The {nice} Cup", "{first}'s Coffee", "Corner Café", "{nice} Bean"),
        ("Coffee and cake", "Open daily from {open}", "Slow coffee, good company", "Roasted in {town}"), (), _CONTACT,
        (), {**_MAIL, "open": ("7 am", "8 am", "9 am")},
    ),
    Theme(
        "doctor", "business card", "calm",
        ("stethoscope", "woman health worker", "red heart", "test tube"),
        ("Dr {name}", "{last} Clinic", "{town} Practice", "Dr {name}"),
        ("General practitioner", "Family doctor", "Children's doctor", "Heart specialist"), (), _CONTACT, (), _MAIL,
    ),
    Theme(
        "music teacher", "business card", "playful",
        ("violin", "guitar", "musical keyboard", "musical notes", "flute", "trumpet", "accordion"),
        ("{name}", "{nice} Note", "{last} Music School", "{name}"),
        ("Violin teacher", "Lessons for all ages", "Piano and song", "Music lessons in {town}"), (), _CONTACT, (),
        _MAIL,
    ),
    Theme(
        "software developer", "business card", "technical",
        ("laptop", "light bulb", "rocket", "puzzle piece", "video game"),
        ("{name}", "{last} Software", "{nice} Code", "{name}"),
        ("Software developer", "Web and mobile apps", "Lead engineer", "Code that lasts"), (), _CONTACT, (), _MAIL,
    ),
    Theme(
        "bike repair shop", "business card", "fresh",
        ("bicycle", "wrench", "person biking", "hammer and wrench", "motor scooter"),
        ("{last} Cycles", "The Bike Shed", "{nice} Wheels", "{first}'s Bikes"),
        ("Repairs while you wait", "New and used bicycles", "Bike mechanic", "Fair repairs"), (), _CONTACT, (), _MAIL,
    ),
    Theme(
        "vet", "business card", "fresh",
        ("dog", "cat", "rabbit", "dog face", "parrot", "poodle", "black cat", "turtle"),
        ("{town} Vets", "Dr {name}", "{last} Animal Clinic", "Paws & Tails"),
        ("Veterinary surgeon", "For pets large and small", "Care for animals", "Day and night"), (), _CONTACT, (),
        _MAIL,
    ),
    Theme(
        "travel agency", "business card", "fresh",
        ("airplane", "luggage", "globe showing europe africa", "palm tree", "compass", "ship", "bullet train"),
        ("{nice} Journeys", "{last} Travel", "{name}", "North & South"),
        ("Travel agent", "Trips made to measure", "By rail, road and sea", "Your way there and back"), (), _CONTACT,
        (), _MAIL,
    ),
    Theme(
        "yoga studio", "business card", "calm",
        ("lotus", "woman in lotus position", "leaf fluttering in wind", "sun", "feather"),
        ("{nice} Yoga", "{name}", "The Still Room", "Studio {last}"),
        ("Yoga and breath", "Yoga teacher", "Classes every day", "Calm for busy people"), (), _CONTACT, (), _MAIL,
    ),
    Theme(
        "tailor", "business card", "formal",
        ("thread", "scissors", "dress", "yarn", "top hat", "ribbon"),
        ("{last} Tailors", "{name}", "Needle & Thread", "Atelier {last}"),
        ("Tailor and dressmaker", "Suits made to measure", "Changes and repairs", "Since 19{old}"), (), _CONTACT, (),
        {**_MAIL, "old": ("48", "57", "69", "81")},
    ),
    Theme(
        "pizzeria", "business card", "warm",
        ("pizza", "tomato", "wine glass", "spaghetti", "cheese wedge", "bottle with popping cork"),
        ("Pizzeria {last}", "Da {first}", "The {nice} Oven", "Trattoria {last}"),
        ("Pizza from a wood oven", "To eat here or take away", "Family kitchen since 19{old}", "Open every evening"),
        (), _CONTACT, (), {**_MAIL, "old": ("61", "72", "84", "97")},
    ),
)  # fmt: skip
