"""Throughput of the chat agent: many drawings at once with a model that answers after a fixed time.

    python benchmarks/chat.py

The server runs in a process of its own and answers each request after ``--delay`` seconds with one line to draw, so
that ideally ``--concurrent`` / ``--delay`` requests are answered a second. Every request carries the prompt of canvas
drawing with both images. Environment, prompts, PNG files and traces all cost time beside it; the share of the ideal
that is left is printed. ``--vary`` spreads the delays evenly around their mean, from 0 to twice as long at 1.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import random
import tempfile
import time
from multiprocessing.connection import Connection

from designgym.agents.chat.agent import build
from designgym.eval.runner import make, run

ENV = "designgym/CanvasDrawing-v0"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--concurrent", type=int, default=32, help="trials at once (default: 32)")
    parser.add_argument("--delay", type=float, default=0.2, help="seconds until an answer (default: 0.2)")
    parser.add_argument("--vary", type=float, default=0.0, help="how much delays differ, 0 to 1 (default: 0)")
    parser.add_argument("--trials", type=int, default=128, help="drawings (default: 128)")
    parser.add_argument("--calls", type=int, default=20, help="calls in each (default: 20)")
    parser.add_argument("--repeats", type=int, default=3, help="runs, of which the best counts (default: 3)")
    given = parser.parse_args()
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(
        target=serve, args=(theirs, given.delay, given.vary), daemon=True
    )
    server.start()
    kwargs = {"split": "train", "max_calls": given.calls, "reward": "ink"}
    env = make(ENV, kwargs)
    url = f"http://127.0.0.1:{ours.recv()}/v1"
    agent = build(env, url=url, model="none", concurrency=given.concurrent)
    tasks = list(env.unwrapped.task_ids("train")[: given.trials])  # type: ignore[attr-defined]
    requests = given.trials * given.calls
    ideal = given.concurrent / given.delay
    shares = []
    for _ in range(given.repeats):
        with tempfile.TemporaryDirectory() as folder:
            start, busy = time.perf_counter(), time.process_time()
            results = run(agent, ENV, kwargs, tasks, out=os.path.join(folder, "run"))
            took, busy = time.perf_counter() - start, time.process_time() - busy
        assert all(result.calls == given.calls and not result.errors for result in results), results[0]
        shares.append(requests / took / ideal)
        print(
            f"{requests} requests in {took:.1f} s: {requests / took:.0f} a second of {ideal:.0f} ({shares[-1]:.0%}); "
            f"{busy / requests * 1e3:.1f} ms of processor a request"
        )
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"best of {given.repeats}: {max(shares):.0%} of the ideal; {os.cpu_count()} cores, load {load}")
    server.terminate()


def serve(port: Connection, delay_s: float, vary: float) -> None:
    """Answer requests until the process is ended; the port is sent first."""
    line = {"x1": 40, "y1": 40, "x2": 360, "y2": 200}
    call = {
        "function": {"name": "draw_lines", "arguments": json.dumps({"lines": [line]})},
        "type": "function",
        "id": "c",
    }
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    used = {"prompt_tokens": 1000, "completion_tokens": 50}
    body = json.dumps({"choices": [{"message": message, "finish_reason": "tool_calls"}], "usage": used}).encode()
    answer = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body)
    rng = random.Random(0)

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                if b"content-length: " in head:
                    await reader.readexactly(int(head.split(b"content-length: ")[1].split(b"\r\n")[0]))
                    await asyncio.sleep(delay_s * (1 + vary * rng.uniform(-1, 1)))
                writer.write(answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def listen() -> None:
        server = await asyncio.start_server(talk, "127.0.0.1", 0, limit=1 << 20)
        port.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(listen())


if __name__ == "__main__":
    main()
