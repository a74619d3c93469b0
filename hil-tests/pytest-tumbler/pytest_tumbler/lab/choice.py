"""Which places of a site a run is about, and which of them have a bench in order."""

from dataclasses import dataclass

from .coordinator import Place
from .resource import nearest

# The tag of places with a bench. Labgrid's reservations ask for places by their tags, so that it says by its value what may be reserved.
TAG, READY, BROKEN = "tumbler", "ready", "out_of_order"


class Refused(Exception):
    """What was asked for is not there."""


@dataclass(frozen=True)
class Choice:
    """The benches that are meant: `bench` is their name or file, `names` are their places. None and () mean all."""

    bench: str | None
    names: tuple[str, ...]

    def sort(self, places: dict[str, Place]) -> tuple[list[Place], dict[str, str]]:
        """The places with a bench in order, and for each of the others why it has none."""
        fit, unfit = [], {}
        for place in self._named(places):
            if self.bench and place.bench and place.bench["bench"] != self.bench:
                continue
            why = self._what_is_wrong(place)
            if why:
                unfit[place.name] = why
            else:
                fit.append(place)
        return fit, unfit

    def check(self, places: dict[str, Place]) -> None:
        """Raises Refused where what is meant is unknown, or nothing is in order."""
        for name in self.names:
            if name not in places:
                raise Refused(f"the coordinator has no place `{name}`{nearest(name, places) or ': labgrid-client places lists them'}")
        named = self._named(places)
        if not named:
            raise Refused(f"no place has the tag {TAG}={READY}: labgrid-client -p PLACE set-tags {TAG}={READY}")
        kinds = {place.bench["bench"] for place in named if place.bench}
        if self.bench and kinds and self.bench not in kinds:
            raise Refused(f"no place has the bench `{self.bench}`{nearest(self.bench, kinds) or ': there are ' + ', '.join(sorted(kinds))}")
        if not self.bench and len(kinds) > 1:
            raise Refused(f"the places have several benches, {', '.join(sorted(kinds))}: --tumbler-bench says which is meant")
        fit, unfit = self.sort(places)
        if not fit:
            raise Refused(nothing_left(unfit))

    def _named(self, places: dict[str, Place]) -> list[Place]:
        return [place for name, place in sorted(places.items()) if (name in self.names if self.names else TAG in place.tags)]

    def _what_is_wrong(self, place: Place) -> str | None:
        tag = place.tags.get(TAG, "")
        if tag == BROKEN:
            return place.comment or "out of order, and nobody says why"
        if tag != READY:
            return f"its tag is {TAG}={tag}{nearest(tag, [READY, BROKEN]) or f': {TAG}={READY} makes it usable'}"
        return place.problem or None


def nothing_left(reasons: dict[str, str]) -> str:
    """A sentence for people who wonder where their benches are."""
    return "no bench is left: " + "; ".join(f"{name}: {why}" for name, why in sorted(reasons.items()))
