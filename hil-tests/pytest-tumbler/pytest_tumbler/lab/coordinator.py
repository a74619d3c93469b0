"""Labgrid's coordinator, asked from threads."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from urllib.parse import urlsplit

import grpc
from labgrid.remote.client import ClientSession, Error
from labgrid.remote.common import Reservation, ReservationState
from labgrid.remote.generated import labgrid_coordinator_pb2 as pb
from labgrid.util.proxy import proxymanager

from .resource import EXPORTED, nearest, what_is_wrong

PORT = 20408
# How long an answer may take, in seconds. The coordinator itself waits for an exporter up to 10.
PATIENCE = 30


class LabError(Exception):
    """The coordinator is not there, or refused a request."""


class LabGone(LabError):
    """The coordinator is not there any more."""


@dataclass(frozen=True)
class Place:
    """A place as the coordinator has it now."""

    name: str
    tags: dict[str, str]
    comment: str
    # Who has it, as HOST/USER; empty where nobody has.
    acquired: str
    reservation: str
    # The bench that an exporter offers for it; None with the reason in `problem`.
    bench: dict | None
    extra: dict
    problem: str

    @property
    def taken(self) -> str:
        """How it is not free, in words; empty where it is."""
        if self.acquired:
            return f"used by {self.acquired}"
        return f"reserved by {self.reservation} (labgrid-client reservations)" if self.reservation else ""


class Session(ClientSession):
    """Tells when something changed."""

    def changed(self) -> None:
        """Replaced by who wants to know."""

    async def on_resource_changed(self, *args):
        await super().on_resource_changed(*args)
        self.changed()

    async def on_place_changed(self, place_pb2):
        await super().on_place_changed(place_pb2)
        self.changed()

    async def on_place_deleted(self, name):
        await super().on_place_deleted(name)
        self.changed()

    async def message_pump(self):
        await super().message_pump()
        self.changed()


class Coordinator:
    """A session with the coordinator at HOST[:PORT]. `changed` is called, in another thread, when places or benches changed.

    Every method raises LabError where the coordinator is gone or refuses.
    """

    def __init__(self, address: str, changed: Callable[[], None]):
        self.address = address
        # Labgrid takes it apart in this way.
        try:
            known = urlsplit(f"//{address}").hostname and urlsplit(f"//{address}").port != 0
        except ValueError:
            known = False
        if not known:
            raise LabError(f"`{address}` is no coordinator's address: it is HOST or HOST:PORT")
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, name="labgrid", daemon=True)
        self.thread.start()
        self.session: Session | None = None
        try:
            self._do(self._open(changed))
        except LabError:
            self.close()
            raise

    async def _open(self, changed: Callable[[], None]) -> None:
        session = Session(proxymanager.get_grpc_address(self.address, default_port=PORT), self.loop)
        session.changed = changed
        self.session = session
        await session.start()

    def places(self) -> dict[str, Place]:
        """All places."""
        return self._do(self._places())

    async def _places(self) -> dict[str, Place]:
        if self.session.stopping.is_set():
            raise LabGone(f"the coordinator at {self.address} became unavailable")
        return {name: self._place(place) for name, place in self.session.places.items()}

    def _place(self, place) -> Place:
        offered = [
            entry.data
            for exporter, groups in self.session.resources.items()
            for group, entries in groups.items()
            for name, entry in entries.items()
            # Of one that is gone, the data is empty.
            if entry.data and place.hasmatch((exporter, group, entry.data["cls"], name))
        ]
        benches = [data for data in offered if data["cls"] == EXPORTED]
        bench, extra = None, {}
        if len(benches) == 1:
            bench = dict(benches[0]["params"])
            extra = bench.pop("extra", {})
        problem = _problem([data["cls"] for data in offered], benches, bench)
        return Place(
            name=place.name,
            tags=dict(place.tags),
            comment=place.comment,
            acquired=place.acquired or "",
            reservation=place.reservation or "",
            bench=None if problem else bench,
            extra=extra,
            problem=problem,
        )

    def reserve(self, place: str, tags: dict[str, str]) -> str:
        """Asks for a place while it has these tags. Gives the reservation's token."""
        asked = pb.Reservation.Filter(filter={"name": place} | tags)
        request = pb.CreateReservationRequest(filters={"main": asked}, prio=0.0)
        return self._ask("CreateReservation", request).reservation.token

    def is_allocated(self, token: str) -> bool | None:
        """Whether the place is ours to acquire; None where the reservation is not valid any more. Keeps it for another minute."""
        try:
            state = Reservation.from_pb2(self._ask("PollReservation", pb.PollReservationRequest(token=token)).reservation).state
        except LabError:
            return None
        return {ReservationState.waiting: False, ReservationState.allocated: True}.get(state)

    def cancel(self, token: str) -> None:
        """Gives a reservation up."""
        self._ask("CancelReservation", pb.CancelReservationRequest(token=token))

    def acquire(self, place: str) -> None:
        """Takes a place that is allocated."""
        self._ask("AcquirePlace", pb.AcquirePlaceRequest(placename=place))

    def release(self, place: str) -> None:
        """Gives a place back, if it is still ours."""
        me = f"{self.session.gethostname()}/{self.session.getuser()}"
        self._ask("ReleasePlace", pb.ReleasePlaceRequest(placename=place, fromuser=me))

    def mark(self, place: str, tags: dict[str, str], comment: str) -> None:
        """Sets tags and the comment of a place."""
        self._ask("SetPlaceTags", pb.SetPlaceTagsRequest(placename=place, tags=tags))
        self._ask("SetPlaceComment", pb.SetPlaceCommentRequest(placename=place, comment=comment))

    def close(self) -> None:
        """Ends the session."""
        if self.session:
            self._do(self._close())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

    async def _close(self) -> None:
        self.session.changed = lambda: None
        self.session.stopping.set()
        await self.session.stop()
        await self.session.close()

    def _ask(self, name: str, request: object) -> object:
        async def asked():
            if self.session.stopping.is_set():
                raise LabGone(f"the coordinator at {self.address} became unavailable")
            answer = await getattr(self.session.stub, name)(request)
            await self.session.sync_with_coordinator()
            return answer

        return self._do(asked())

    def _do(self, work: Coroutine) -> object:
        future = asyncio.run_coroutine_threadsafe(work, self.loop)
        try:
            return future.result(PATIENCE)
        except TimeoutError:
            future.cancel()
            raise LabError(f"the coordinator at {self.address} does not answer within {PATIENCE} s") from None
        except grpc.aio.AioRpcError as why:
            raise LabError(f"the coordinator at {self.address}: {why.details()}") from None
        except Error as why:
            raise LabError(f"{' '.join(why.args)} at {self.address}") from None


def _problem(classes: list[str], benches: list[dict], bench: dict | None) -> str:
    """Why a place's resources make no bench; empty where they do."""
    if not classes:
        return "nothing is exported for it: is its exporter running, and do its matches fit (labgrid-client -p PLACE show)?"
    if not benches:
        like = [name for name in classes if nearest(name, [EXPORTED])]
        return f"its exporter offers a `{like[0]}`: did you mean `{EXPORTED}`?" if like else f"it has no {EXPORTED}, but {', '.join(classes)}"
    if len(benches) > 1:
        return f"it has {len(benches)} of {EXPORTED}: a place is one bench"
    return what_is_wrong(bench) or ""
