"""What labgrid knows of a bench."""

import os
from difflib import get_close_matches
from socket import getfqdn, gethostname

import attr
from labgrid import target_factory
from labgrid.resource.common import NetworkResource, Resource

HERE = {"localhost", "127.0.0.1", "::1"}


@attr.s(eq=False)
class Bench(Resource):
    """A bench of the rig.

    Args:
        bench (str): the name or the file of the bench, as `tumbler-hil serve --bench` takes it, on its host
        rig (str): the rig's program there
        tumblerd (str): the daemon's program there; None where the bench's file names it, or it lies beside the rig
    """

    bench = attr.ib(validator=attr.validators.instance_of(str))
    rig = attr.ib(default="tumbler-hil", validator=attr.validators.instance_of(str))
    tumblerd = attr.ib(default=None, validator=attr.validators.optional(attr.validators.instance_of(str)))


@target_factory.reg_resource
@attr.s(eq=False)
class TumblerBench(Bench):
    """A bench of the machine that the tests run on."""


@target_factory.reg_resource
@attr.s(eq=False)
class NetworkTumblerBench(NetworkResource, Bench):
    """A bench that a labgrid-exporter offers. `host` is its machine, which is reached by ssh unless it is this one."""

    @property
    def is_here(self) -> bool:
        """Whether the bench's machine is this one."""
        here = HERE | {gethostname(), getfqdn(), os.environ.get("LG_HOSTNAME")}
        return self.host in here and not getattr(self, "extra", {}).get("proxy_required")

    def wrap_command(self, command: list[str]) -> list[str]:
        """The command that runs this one on the bench's machine."""
        return list(command) if self.is_here else super().wrap_command(command)


EXPORTED = NetworkTumblerBench.__name__
# What labgrid adds of its own is taken out before.
KEYS = sorted(field.name for field in attr.fields(NetworkTumblerBench) if field.init and field.name not in ("target", "name"))


def nearest(word: str, known: object) -> str:
    """A hint at the name that was probably meant; empty where none is like it."""
    near = get_close_matches(word, sorted(known), 1)
    return f": did you mean `{near[0]}`?" if near else ""


def what_is_wrong(params: dict) -> str | None:
    """What is wrong with a bench's entry in an exporter's file."""
    for key in params:
        if key not in KEYS:
            return f"unknown key `{key}` of {EXPORTED}{nearest(key, KEYS) or ': it has ' + ', '.join(KEYS)}"
    for key in KEYS:
        needed = key in ("host", "bench")
        value = params.get(key)
        if needed and value is None:
            return f"{EXPORTED} needs `{key}`"
        if value is not None and not isinstance(value, str):
            return f"`{key}` of {EXPORTED} must be text, and is {value!r}"
        if value is not None and not value.strip():
            return f"`{key}` of {EXPORTED} is empty"
    return None
