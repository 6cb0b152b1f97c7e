"""A proxy between a watcher and a validator that changes responses."""

import http.client
import json
import sys
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

COMMITS, BLOCK, PROOF = "/v1/commits", "/v1/blocks/", "/v1/transactions/"


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        """Ignores disconnected clients."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


@contextmanager
def serving(handler):
    """Serves requests with `handler` on a loopback address within a block of code. Yields the address."""
    server = Server(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def liar(upstream, lie):
    """Returns a handler. `lie` maps a path and the JSON response to other JSON, or to a function that responds itself."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self):
            try:
                relay(self, upstream, lie)
            except (OSError, http.client.HTTPException, ValueError):
                self.close_connection = True

        do_GET = do_POST = handle_any

        def log_message(self, *arguments):
            pass

    return Handler


def relay(handler, upstream, lie):
    body = handler.rfile.read(int(handler.headers.get("content-length") or 0))
    there = http.client.HTTPConnection(urlsplit(upstream).netloc, timeout=15)
    try:
        if handler.path == COMMITS:
            if instead := lie(COMMITS, None):
                return instead(handler)
            return stream(handler, there, getattr(lie, "line", bytes))
        headers = {"content-type": handler.headers.get("content-type", "text/plain")} if body else {}
        path = getattr(lie, "asks", str)(handler.path)
        there.request(handler.command, path, body or None, headers)
        answer = there.getresponse()
        content = answer.read()
        if answer.status == 200:
            said = lie(handler.path, json.loads(content))
            if callable(said):
                return said(handler)
            content = json.dumps(said).encode()
        send(handler, answer.status, content)
    finally:
        there.close()


def stream(handler, there, change):
    there.request("GET", COMMITS)
    answer = there.getresponse()
    head(handler, answer.status, connection="close")
    while line := answer.readline():
        handler.wfile.write(change(line))
    handler.close_connection = True


def head(handler, status, **headers):
    handler.send_response(status)
    for name, value in {"content-type": "application/json", **headers}.items():
        handler.send_header(name.replace("_", "-"), str(value))
    handler.end_headers()


def send(handler, status, content):
    head(handler, status, content_length=len(content))
    handler.wfile.write(content)


# Lies.


def honest(path, answer):
    return answer


def changed(path_starts, field, change):
    """Another value of a field in the answers under a path."""

    def lie(path, answer):
        if path.startswith(path_starts) and isinstance(answer, dict) and answer.get(field):
            answer[field] = change(answer[field])
        return answer

    return lie


def flipped(digits):
    """Another last byte."""
    return digits[:-2] + f"{int(digits[-2:], 16) ^ 1:02x}"


def repeated(path_starts, field):
    """The first value that a field had, again and again."""
    first = []

    def lie(path, answer):
        if path.startswith(path_starts) and isinstance(answer, dict):
            first.append(answer[field])
            answer[field] = first[0]
        return answer

    return lie


def shifted(by):
    """Every block is said to be so much higher than it is, wherever a height is named but in proofs."""

    def lie(path, answer):
        if path.startswith(BLOCK):
            answer["height"] += by
        return answer

    def line(text):
        return b"id: %d\n" % (int(text[3:]) + by) if text.startswith(b"id:") else text

    lie.asks = lambda path: f"{BLOCK}{int(path.removeprefix(BLOCK)) - by}" if path.startswith(BLOCK) else path
    lie.line = line
    return lie


def instead(path_starts, answer):
    """Something of another kind in place of the answer."""
    return lambda path, said: answer if path.startswith(path_starts) else said


# What is no answer at all; for `instead`.


def raw(content):
    """These bytes in place of JSON."""
    return lambda handler: send(handler, 200, content)


def truncated(handler):
    head(handler, 200, content_length=1000)
    handler.wfile.write(b'{"height": 1')
    handler.close_connection = True


def slow(handler):
    """A byte now and then, for ever."""
    head(handler, 200, content_length=1_000_000)
    while True:
        handler.wfile.write(b" ")
        time.sleep(0.1)


def slow_head(handler):
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nx-slow: ")
    while True:
        handler.wfile.write(b"a")
        time.sleep(0.1)


def announced(handler):
    """Announces an impossible content length."""
    head(handler, 200, content_length=1 << 40)
    while True:
        handler.wfile.write(bytes(1 << 16))


def endless(handler):
    """Pieces without end."""
    head(handler, 200, transfer_encoding="chunked")
    while True:
        handler.wfile.write(b"8000\r\n" + b" " * 0x8000 + b"\r\n")


def crumbs(handler):
    """Pieces of a byte, without end and as fast as they can be sent."""
    head(handler, 200, transfer_encoding="chunked")
    while True:
        handler.wfile.write(b"1\r\n \r\n" * 0x4000)


def endless_line(handler):
    head(handler, 200, connection="close")
    while True:
        handler.wfile.write(b":" * 4096)


def no_http(handler):
    handler.wfile.write(b"SSH-2.0-OpenSSH_9.2\r\n")
    handler.close_connection = True


def elsewhere(url):
    """Redirects clients to another server."""

    def answer(handler):
        head(handler, 302, location=url + handler.path, content_length=0)

    return answer
