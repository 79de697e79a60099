"""The six scenes that the demonstration pictures show, by the id of the topic that asks for them."""

import random
from collections.abc import Callable

from scripts.painter.paint import Sheet
from scripts.painter.scenes import boat, cactus, city, lighthouse, mountains, sunflowers

Scene = Callable[[Sheet, random.Random, int, int], None]

SCENES: dict[str, Scene] = {
    "lighthouse": lighthouse.draw,
    "boat": boat.draw,
    "mountains": mountains.draw,
    "skyline": city.draw,
    "sunflowers": sunflowers.draw,
    "cactus": cactus.draw,
}
