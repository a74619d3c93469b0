"""Benches of tumblerd's test rig in labgrid: hil-tests/docs/labgrid.md. Importing it makes resources and driver known to labgrid."""

from .driver import TumblerRigDriver
from .resource import NetworkTumblerBench, TumblerBench

__all__ = ["NetworkTumblerBench", "TumblerBench", "TumblerRigDriver"]
