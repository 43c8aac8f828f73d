"""Words that fill the slots of briefs' texts, beside those of the layout engine."""

from __future__ import annotations

WORDS: dict[str, tuple[str, ...]] = {
    "adj": ("Amber", "Broken", "Burning", "Copper", "Crooked", "Distant", "Drowned", "Electric", "Empty", "Endless",
            "Fearless", "Floating", "Forgotten", "Frozen", "Gentle", "Hidden", "Hollow", "Hungry", "Invisible", "Iron",
            "Last", "Lonely", "Lucky", "Marble", "Midnight", "Paper", "Patient", "Restless", "Salted", "Scarlet",
            "Secret", "Seventh", "Sleeping", "Stolen", "Stubborn", "Tender", "Thirsty", "Timid", "Unfinished", "Velvet",
            "Wandering", "Whispering", "Wooden"),
    "thing": ("Ashes", "Bells", "Bread", "Bridges", "Clouds", "Courage", "Dust", "Echoes", "Feathers", "Fire",
              "Gravity", "Honey", "Hope", "Hunger", "Keys", "Lanterns", "Laughter", "Lightning", "Maps", "Memory",
              "Mercy", "Mirrors", "Moonlight", "Mornings", "Oranges", "Patience", "Rain", "Rivers", "Roots", "Rust",
              "Salt", "Shadows", "Silence", "Smoke", "Snow", "Stones", "Storms", "Sugar", "Thunder", "Time", "Violets",
              "Wishes", "Wonder"),
    "thing2": ("Apricots", "Blue Doors", "Brass", "Chance", "Cinders", "Coal", "Doubt", "Driftwood", "Empires",
               "Fog", "Ghosts", "Glass", "Grace", "Ink", "Ivy", "Letters", "Longing", "Paper", "Pride", "Reason",
               "Sand", "Thorns", "Trains", "Truth", "Wine", "Wolves"),
    "heir": ("Duke", "Heir", "Herald", "Knight", "Prince", "Queen", "Rider", "Squire", "Weaver", "Witch"),
    "last2": ("Abbott", "Brandt", "Crane", "Dale", "Finch", "Hart", "Klein", "Lowe", "North", "Price", "Stone", "Ward"),
    "first2": ("Ada", "Bo", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hana", "Iris", "Jack", "Kim", "Lou"),
    "town2": ("Brackley", "Cold Ash", "Ferndale", "Hollin", "Marsh End", "Pine Bluff", "Sandgate", "Winterton"),
    "since": ("1952", "1964", "1978", "1986", "1993", "2004", "2011"),
    "age": ("Five", "Six", "Seven", "Eight", "Nine", "Ten", "Thirty", "Forty", "Fifty", "Sixty", "Seventy", "Eighty"),
    "site": ("{site_name}.example",),
    "site_name": ("bluegate", "cedarworks", "corner7", "deltahouse", "elmandco", "fieldnote", "goodhands", "hillside",
                  "inkyard", "junction5", "larkspur", "millpond", "ninetyone", "openlane", "quarterpast", "redkettle",
                  "saltbox", "tinroof", "upstairs", "wellmade"),
    "mailbox": ("hello@{site}", "mail@{site}", "{first_lower}@{site}", "office@{site}", "hi@{site}"),
    "first_lower": ("anna", "ben", "clara", "david", "elena", "farid", "grace", "hugo", "ines", "jonas", "leo", "maya"),
    "contact": ("{phone} | {mailbox}", "{phone} | {site}", "{mailbox} | {number} {street}", "{phone}, {address}",
                "{mailbox}", "{phone}", "{address}", "{site} | {phone}", "Call {phone} or visit {site}"),
}  # fmt: skip
"""Slot -> words; words may have slots themselves."""
