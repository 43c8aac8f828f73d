"""A chat endpoint for tests: a local HTTP server that plays a script and keeps what it was sent."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Reply:
    """What the server does with one request: a text, a fault, or both in odd ways."""

    text: str | None = "fine"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    body: str | None = None
    """Sent as it is, in place of a chat completion."""
    refusal: str | None = None
    calls: list[Any] | None = None
    """Tool calls as they are sent; see :func:`call`."""
    finish: str = "stop"
    usage: dict[str, Any] | None = None
    cut: int | None = None
    """So many bytes of the body are sent before the connection ends."""


@dataclass
class ChatServer:
    """The server's address, and the requests that came: path, headers and body of each."""

    url: str
    requests: list[dict[str, Any]] = field(default_factory=list)
    most_at_once: int = 0


@contextmanager
def chat_server(answer: Callable[[int, dict[str, Any]], Reply]) -> Iterator[ChatServer]:
    """Serve chat completions while the block runs.

    Args:
        answer: Gets the number of the request, from 0, and its body.
    """
    lock = threading.Lock()
    at_once = 0

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            nonlocal at_once
            sent = json.loads(self.rfile.read(int(self.headers["content-length"])))
            with lock:
                number = len(server.requests)
                server.requests.append({"path": self.path, "headers": dict(self.headers), "body": sent})
                at_once += 1
                server.most_at_once = max(server.most_at_once, at_once)
            try:
                self.reply(answer(number, sent))
            finally:
                with lock:
                    at_once -= 1

        def reply(self, reply: Reply) -> None:
            time.sleep(reply.delay_s)
            message: dict[str, Any] = {"role": "assistant", "content": reply.text, "refusal": reply.refusal}
            message |= {"tool_calls": reply.calls} if reply.calls is not None else {}
            whole: dict[str, Any] = {"choices": [{"index": 0, "message": message, "finish_reason": reply.finish}]}
            whole |= {"usage": reply.usage} if reply.usage is not None else {}
            data = (json.dumps(whole) if reply.body is None else reply.body).encode()
            try:
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data if reply.cut is None else data[: reply.cut])
                if reply.cut is not None:
                    self.close_connection = True
            except OSError:
                self.close_connection = True  # the client gave up

        def log_message(self, format: str, *args: Any) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server = ChatServer(f"http://127.0.0.1:{http.server_address[1]}/v1")
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        thread.join()
        http.server_close()


def call(name: Any, arguments: Any, *, id: str | None = "call-1") -> dict[str, Any]:
    """A tool call as servers send it; ``arguments`` are written as JSON unless they are a text already."""
    written = arguments if isinstance(arguments, str) else json.dumps(arguments)
    made = {"type": "function", "function": {"name": name, "arguments": written}}
    return made if id is None else {"id": id, **made}


def texts(body: dict[str, Any]) -> str:
    """All text of a request."""
    found = []
    for message in body["messages"]:
        content = message["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        found += [part["text"] for part in parts if part["type"] == "text"]
    return "\n".join(found)


def pictures(body: dict[str, Any]) -> list[str]:
    """The data URLs of a request's images."""
    return [
        part["image_url"]["url"]
        for message in body["messages"]
        if not isinstance(message["content"], str)
        for part in message["content"]
        if part["type"] == "image_url"
    ]
