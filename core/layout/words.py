"""Words that all themes share: names, places, days, prices and the like. All are made up or common."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December")  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

WORDS: dict[str, tuple[str, ...]] = {
    "first": ("Anna", "Ben", "Clara", "David", "Elena", "Farid", "Grace", "Hugo", "Ines", "Jonas", "Kavya", "Leo",
              "Maya", "Nadia", "Oscar", "Priya", "Quinn", "Rosa", "Samuel", "Tara", "Umar", "Vera", "Will", "Yuki",
              "Zoe", "Marta", "Noah", "Lena", "Omar", "Ida"),
    "last": ("Adams", "Bergman", "Castillo", "Duarte", "Ellis", "Fischer", "Grant", "Haddad", "Ito", "Jensen",
             "Keller", "Lindqvist", "Moreau", "Novak", "Okafor", "Patel", "Quist", "Rossi", "Silva", "Tanaka",
             "Usman", "Vogel", "Walsh", "Young", "Zhang", "Hale", "Marsh", "Reyes", "Sato", "Weber"),
    "name": ("{first} {last}",),
    "town": ("Ashford", "Bellport", "Calder Bay", "Dunmore", "Eastwick", "Fairhaven", "Glenwood", "Harbour Town",
             "Ironbridge", "Juniper Hill", "Kingsley", "Lakeside", "Marlow", "Northgate", "Oakdale", "Port Elin",
             "Ravenna", "Stonefield", "Tidewater", "Westbrook"),
    "street": ("Mill Lane", "Harbour Street", "Market Square", "Station Road", "Park Avenue", "Garden Row",
               "Bridge Street", "Orchard Way", "Church Walk", "Canal Street", "Hill Road", "Chestnut Avenue"),
    "hall": ("Town Hall", "The Old Mill", "Riverside Hall", "The Assembly Rooms", "Corn Exchange", "The Glasshouse",
             "City Library", "Victoria Park", "The Boathouse", "Market Hall", "Studio Nine", "The Tram Depot"),
    "weekday": _DAYS,
    "month": _MONTHS,
    "season": ("Spring", "Summer", "Autumn", "Winter"),
    "date": ("{weekday}, {day} {month}", "{day} {month} {year}", "{day} {month}", "{month} {day}, {year}"),
    "time": ("7 pm", "6:30 pm", "8 pm", "10 am", "2 pm", "9 am", "11 am", "5 pm", "noon", "7:30 pm", "4 pm"),
    "paper": ("The Evening Post", "The Daily Review", "The Northern Herald", "City Pages", "The Sunday Reader"),
    "publisher": ("Larch House", "Blue Heron Press", "Quayside Books", "Paper Lantern", "Fieldgate", "Ninth Street",
                  "Saltmarsh Press", "Tall Oak"),
    "address": ("{number} {street}, {town}",),
    "web": ("{town_web}.example",),
    "town_web": ("ashford", "bellport", "calderbay", "dunmore", "eastwick", "fairhaven", "glenwood", "ironbridge",
                 "kingsley", "marlow", "oakdale", "stonefield", "westbrook"),
    "nice": ("Fine", "Fresh", "Bright", "Little", "Golden", "Wild", "Quiet", "Good", "Grand", "Happy", "Silver",
             "Green", "Sunny", "Blue"),
}  # fmt: skip
"""Slot -> words; words may have slots themselves."""


def _number(low: int, high: int, form: str = "{}") -> Callable[[np.random.Generator], str]:
    return lambda rng: form.format(int(rng.integers(low, high + 1)))


NUMBERS: dict[str, Callable[[np.random.Generator], str]] = {
    "number": _number(2, 148),
    "day": _number(1, 28),
    "year": _number(2025, 2031),
    "price": _number(4, 45, "${}"),
    "small": _number(3, 9, "${}.50"),
    "fee": _number(6, 30, "${}"),
    "percent": lambda rng: f"{5 * int(rng.integers(2, 13))}%",
    "phone": lambda rng: f"555.{int(rng.integers(100, 1000))}.{int(rng.integers(1000, 10000))}",
    "count": _number(3, 12),
    "edition": lambda rng: _ordinal(int(rng.integers(2, 31))),
}
"""Slot -> how its number is drawn."""


def _ordinal(number: int) -> str:
    suffix = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"
