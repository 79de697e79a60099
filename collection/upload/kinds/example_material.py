"""Material shared by the example files: loaded one after another they make a study that can be opened."""

# Topic -> (text, passages best first with their grades).
PASSAGES: dict[str, tuple[str, list[tuple[str, int]]]] = {
    "tides": (
        "What causes the tides?",
        [
            ("The Moon pulls the near side of the ocean more than the far side, which raises two bulges.", 3),
            ("Tides follow the Moon's pull; the Sun adds to it at new and full moon.", 3),
            ("High water comes about every twelve hours and twenty-five minutes.", 2),
            ("Sailors keep tables of the tides for every harbour.", 1),
            ("Sea water is salty because rivers carry minerals into it.", 0),
            ("The Moon has no air, so its sky is black by day.", 0),
        ],
    ),
    "yeast": (
        "Why does yeast make bread rise?",
        [
            ("Yeast turns sugar into carbon dioxide, and the dough's gluten holds the bubbles.", 3),
            ("It breathes out gas that is caught in the dough, which swells until the oven sets it.", 3),
            ("Dough rises faster in a warm place, since yeast likes warmth.", 2),
            ("Bakers sell fresh yeast in small cubes.", 1),
            ("Rye bread keeps longer than white bread.", 0),
            ("Wheat was first grown in the Fertile Crescent.", 0),
        ],
    ),
}
PICTURES = {
    "lighthouse-1": "#2b4c7e",
    "lighthouse-2": "#e8a33d",
    "lighthouse-3": "#7a2e3a",
    "lighthouse-4": "#4f7f52",
}
