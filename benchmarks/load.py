"""Many sessions moving controls: the server time of reruns, over Streamlit's own websocket protocol.

    python -m benchmarks.load [--sessions 1 20] [--rounds 40]

Starts the dashboard on a free port of this machine and opens the sessions on the Rankings page. Each then changes a
control every 0 to 0.5 seconds: first the number of neighbours, of one word; then the query word, always to one that no
session has asked before, so that nothing is cached. Prints the median and 95th percentile of the time from sending the
change to the end of the script run, and the server's memory.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import time
from collections.abc import Callable, Iterator

import psutil
import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

import attention_core as ac
from benchmarks.serving import served

DONE = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)
TARGETS = {1: 50, 20: 150}
"""Sessions -> median milliseconds to stay below when a control moves, on two cores."""


class Session:
    """One reader's connection."""

    def __init__(self, url: str) -> None:
        self.url, self.page, self.widgets = url, "", {}

    async def connect(self) -> None:
        """Opens the websocket."""
        stream = self.url.replace("http", "ws") + "/_stcore/stream"
        protocols = [websockets.Subprotocol(name) for name in ("streamlit", "PLACEHOLDER_AUTH_TOKEN")]
        self.socket = await websockets.connect(stream, subprotocols=protocols, max_size=None, origin=self.url)

    async def rerun(self, key: str = "", value: float | str = 0.0) -> float:
        """Seconds from sending a change (or nothing, at first) to the end of the script run."""
        message = BackMsg()
        run = message.rerun_script
        run.page_name, run.page_script_hash = "rankings", self.page
        if key:
            widget = run.widget_states.widgets.add()
            widget.id, run.fragment_id = self.widgets[key]
            if isinstance(value, str):
                widget.string_value = value
            else:
                widget.double_array_value.data.append(value)
        start = time.perf_counter()
        await self.socket.send(message.SerializeToString())
        while True:
            reply = ForwardMsg()
            reply.ParseFromString(await asyncio.wait_for(self.socket.recv(), 120))
            kind = reply.WhichOneof("type")
            if kind == "new_session":
                self.page = reply.new_session.page_script_hash
            elif kind == "delta" and reply.delta.WhichOneof("type") == "new_element":
                self._note(reply.delta.new_element, reply.delta.fragment_id)
            elif kind == "script_finished" and reply.script_finished in DONE:
                return time.perf_counter() - start

    def _note(self, element: object, fragment: str) -> None:
        kind = element.WhichOneof("type")
        if kind == "exception":
            raise RuntimeError(element.exception.message)
        if kind in ("slider", "selectbox"):
            widget = getattr(element, kind)
            self.widgets[widget.id.rpartition("-")[2]] = (widget.id, fragment)


async def measure(url: str, pid: int, count: int, rounds: int, words: Iterator[str]) -> None:
    sessions = [Session(url) for _ in range(count)]
    await asyncio.gather(*(session.connect() for session in sessions))
    report(count, "first run", await asyncio.gather(*(session.rerun() for session in sessions)))
    chance = random.Random(count)
    for name, key, change in (
        ("k moved", "k", lambda: float(chance.randint(3, 50))),
        ("new word", "q", lambda: next(words)),
    ):
        times: list[float] = []
        await asyncio.gather(*(reader(session, rounds, key, change, chance, times) for session in sessions))
        report(count, name, times)
    print(f"{count:3d} sessions  server {psutil.Process(pid).memory_info().rss / 2**20:.0f} MiB")
    await asyncio.gather(*(session.socket.close() for session in sessions))


async def reader(session: Session, rounds: int, key: str, change: Callable, chance: random.Random, times: list) -> None:
    for _ in range(rounds):
        await asyncio.sleep(chance.random() * 0.5)
        times.append(await session.rerun(key, change()))


def report(count: int, name: str, seconds: list[float]) -> None:
    centiles = [1e3 * x for x in (statistics.quantiles(seconds, n=20) if len(seconds) > 1 else seconds * 19)]
    target = f"  (target {TARGETS[count]})" if name == "k moved" and count in TARGETS else ""
    times = f"p50 {centiles[9]:5.0f} ms{target}  p95 {centiles[18]:5.0f} ms"
    print(f"{count:3d} sessions  {name:9s} n={len(seconds):4d}  {times}")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--sessions", type=int, nargs="+", default=[1, 20])
    arguments.add_argument("--rounds", type=int, default=40)
    chosen = arguments.parse_args()
    words = iter(ac.sample("glove-en").words[1000:])
    with served() as server:
        for count in chosen.sessions:
            asyncio.run(measure(server.url, server.pid, count, chosen.rounds, words))


if __name__ == "__main__":
    main()
