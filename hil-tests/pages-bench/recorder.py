"""A broker of the bench's own, and a subscriber that holds each message against docs/mqtt.md and the schemas."""
import hashlib
import json
import pathlib
import socket
import subprocess
import threading

import jsonschema

from waiting import until

SCHEMAS = pathlib.Path(__file__).resolve().parents[2] / "daemon" / "docs" / "schema"
# Topic below taisai/SITE/TABLE/ to (QoS, retained) (mqtt.md, the table of topics).
TOPICS = {"status": (1, 1), "state": (1, 1), "lamps": (1, 1), "fault": (1, 1), "event": (1, 0), "keypad": (0, 0)}


def schemas():
    found = {}
    for path in SCHEMAS.glob("*.json"):
        schema = json.loads(path.read_text())
        found[path.stem] = jsonschema.Draft7Validator(schema)
    return found


class Recorder:
    def __init__(self, directory):
        self.events = []  # journal records, in order, each once
        self.keys = []  # what `keypad` told
        self.problems = []
        self.taken = 0
        self._latest = {}
        self._schemas = schemas()
        self._there = threading.Event()
        self._log = open(directory / "broker.log", "wb")
        self._subscriber = None
        self.port, self._broker = self._start_broker(directory)
        subscribe = ["mosquitto_sub", "-h", "127.0.0.1", "-p", str(self.port), "-V", "5", "-q", "1", "-t", "#",
                     "--retain-as-published", "-F", "%t %q %r %x"]
        self._subscriber = subprocess.Popen(subscribe, stdout=subprocess.PIPE, stderr=self._log, text=True)
        self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)
        self._thread.start()
        # A retained message arrives as soon as the subscription holds: nothing that is told later is missed.
        subprocess.run(["mosquitto_pub", "-h", "127.0.0.1", "-p", str(self.port), "-V", "5", "-q", "1", "-r",
                        "-t", "bench/there", "-m", "yes"], check=True, timeout=20)
        until(self._there.is_set, "the subscriber is there")

    def _start_broker(self, directory):
        # Somebody else may take a free port before the broker does: then another one.
        for _ in range(5):
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                port = probe.getsockname()[1]
            config = directory / "mosquitto.conf"
            config.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\n")
            broker = subprocess.Popen(["mosquitto", "-c", str(config)], stdout=self._log, stderr=self._log)

            def answers():
                if broker.poll() is not None:
                    return True
                with socket.socket() as probe:
                    return probe.connect_ex(("127.0.0.1", port)) == 0
            until(answers, "the broker answers")
            if broker.poll() is None:
                return port, broker
        raise RuntimeError("no broker could be started")

    def event(self, kind, after=0):
        """Waits for the first record of this kind, or of one of these, with a greater `seq` than `after`."""
        kinds = (kind,) if isinstance(kind, str) else kind
        return until(lambda: next((e for e in self.events if e["kind"] in kinds and e["seq"] > after), None),
                     f"a record {kinds} after {after}")

    def last(self):
        return self.events[-1]["seq"] if self.events else 0

    def latest(self, topic):
        """The last message on this topic, None where it was deleted or never told."""
        return self._latest.get(topic)

    def close(self):
        for process in (self._subscriber, self._broker):
            if process is not None:
                process.terminate()
                process.wait(10)
        if self._subscriber is not None:
            self._thread.join(10)
            self._subscriber.stdout.close()
        self._log.close()

    def _run(self):
        for line in self._subscriber.stdout:
            topic, qos, retained, payload = (line.rstrip("\n").split(" ") + [""])[:4]
            if topic == "bench/there":
                self._there.set()
                continue
            try:
                self._take(topic, int(qos), int(retained), bytes.fromhex(payload))
            except Exception as problem:  # whatever it is: the case that runs is to fail of it
                self.problems.append(f"{topic}: {problem!r}")

    def _take(self, topic, qos, retained, payload):
        self.taken += 1
        below = topic.split("/", 3)[-1]
        kind = below.split("/")[0]
        if (qos, retained) != TOPICS[kind]:
            self.problems.append(f"{topic}: QoS {qos}, retained {retained}, but mqtt.md says {TOPICS[kind]}")
        if kind == "fault" and not payload:
            self._latest[below] = None
            return
        message = json.loads(payload)
        schema = "event-short" if kind == "event" and message.get("short") else kind
        for error in self._schemas[schema].iter_errors(message):
            self.problems.append(f"{topic}: {error.message[:300]} at {list(error.absolute_path)}")
        self._latest[below] = message
        if kind == "event":
            self._record(message)
        if kind == "keypad":
            self.keys.append(message["key"])

    def _record(self, message):
        # "May see some again after a reconnect": keep the greatest `seq` (mqtt.md, "how not to lose anything").
        if message["seq"] <= self.last():
            return
        self._reckon(message)
        self.events.append(message)

    def _reckon(self, message):
        """mqtt.md, "To reckon the chain"."""
        chain = message["chain"]
        fields = [message[key] for key in ("seq", "at", "boot", "wall", "wall_quality")]
        header = "".join(f"{field}\n" for field in
                         ["tumblerd record 2", *fields, message.get("round", "-"), message["kind"]])
        link = hashlib.sha256(bytes.fromhex(chain["previous"]) + header.encode()
                              + bytes.fromhex(chain["body_hash"])).hexdigest()
        genesis = hashlib.sha256(f"tumblerd journal\n{message['stream']}\n{chain['first']}\n{chain.get('after', '-')}\n"
                                 .encode()).hexdigest()
        before = self.events[-1]["head"] if self.events else chain["genesis"]
        number = message["seq"]
        for right, what in (
            (chain["header"] == header, "`header` is not what the message says"),
            (chain["link"] == link == message["head"], "`link` and `head` are not what they are reckoned from"),
            (chain["genesis"] == genesis, "`genesis` is not that of this stream"),
            (chain["previous"] == before, "`previous` is not the link of the record before"),
            (number == self.last() + 1, "a record is missing before it"),
            ("body" not in message or hashlib.sha256(message["body"].encode()).hexdigest() == chain["body_hash"],
             "`body_hash` is not that of `body`"),
        ):
            if not right:
                self.problems.append(f"record {number}: {what}")
