"""A client of the console. Built from docs/console.md."""
import json
import socket

# The answer to `open` comes only once the tests have ended.
ANSWER_LIMIT = 60


class Console:
    """Each request has a connection of its own: one that waits for a test does not hold up the next."""

    def __init__(self, path):
        self._path = path

    def ask(self, ask, number=1):
        """All answers to one request, until `end` where the question has one."""
        with socket.socket(socket.AF_UNIX) as daemon:
            daemon.settimeout(ANSWER_LIMIT)
            daemon.connect(self._path)
            daemon.sendall(json.dumps({"id": number, "ask": ask}).encode() + b"\n")
            many = isinstance(ask, dict) and ask.get("query") in ("rounds", "round", "events")
            answers = []
            with daemon.makefile("rb") as lines:
                for line in lines:
                    said = json.loads(line)
                    if "error" in said or said["id"] != number:
                        raise AssertionError(f"the console says {said} to {ask}")
                    answer = said["answer"]
                    if "end" in answer:
                        return answers
                    answers.append(answer)
                    if not many:
                        return answers
            raise ConnectionError(f"the console hung up without an answer to {ask}")

    def status(self):
        return self.ask("status")[0]["status"]["snapshot"]

    def round(self, last=1):
        """The latest rounds, oldest first."""
        return [answer["round"] for answer in self.ask({"query": "rounds", "with": {"last": last}})]

    def command(self, command, **arguments):
        """The answer: it has the key `done` or `refused`."""
        return self.ask({"command": command, "with": {"name": "Mei", **arguments}})[0]
