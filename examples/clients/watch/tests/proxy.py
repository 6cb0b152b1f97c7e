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


def proxy(upstream, change):
    """Returns a handler that relays requests. `change` maps a path and the JSON response to other JSON, or to a function
    that responds itself."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self):
            try:
                relay(self, upstream, change)
            except (OSError, http.client.HTTPException, ValueError):
                self.close_connection = True

        do_GET = do_POST = handle_any

        def log_message(self, *arguments):
            pass

    return Handler


def relay(handler, upstream, change):
    """Relays one request, and changes the response."""
    body = handler.rfile.read(int(handler.headers.get("content-length") or 0))
    validator = http.client.HTTPConnection(urlsplit(upstream).netloc, timeout=15)
    try:
        if handler.path == COMMITS:
            if respond := change(COMMITS, None):
                return respond(handler)
            return stream(handler, validator, getattr(change, "line", bytes))
        headers = {"content-type": handler.headers.get("content-type", "text/plain")} if body else {}
        path = getattr(change, "request_path", str)(handler.path)
        validator.request(handler.command, path, body or None, headers)
        answer = validator.getresponse()
        content = answer.read()
        if answer.status == 200:
            changed = change(handler.path, json.loads(content))
            if callable(changed):
                return changed(handler)
            content = json.dumps(changed).encode()
        send(handler, answer.status, content)
    finally:
        validator.close()


def stream(handler, validator, change):
    """Relays the stream of commits, with changed lines."""
    validator.request("GET", COMMITS)
    answer = validator.getresponse()
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


# Changes of JSON responses.


def unchanged(path, answer):
    return answer


def changed(path_starts, field, change):
    """Changes a field of the responses under a path."""

    def change_response(path, answer):
        if path.startswith(path_starts) and isinstance(answer, dict) and answer.get(field):
            answer[field] = change(answer[field])
        return answer

    return change_response


def flipped(digits):
    """Flips a bit of the last byte."""
    return digits[:-2] + f"{int(digits[-2:], 16) ^ 1:02x}"


def repeated(path_starts, field):
    """Repeats the first value of a field in all later responses."""
    first = []

    def repeat(path, answer):
        if path.startswith(path_starts) and isinstance(answer, dict):
            first.append(answer[field])
            answer[field] = first[0]
        return answer

    return repeat


def shifted(by):
    """Adds `by` to the height of every block, except in proofs."""

    def shift(path, answer):
        if path.startswith(BLOCK):
            answer["height"] += by
        return answer

    def line(text):
        return b"id: %d\n" % (int(text[3:]) + by) if text.startswith(b"id:") else text

    shift.request_path = lambda path: f"{BLOCK}{int(path.removeprefix(BLOCK)) - by}" if path.startswith(BLOCK) else path
    shift.line = line
    return shift


def instead(path_starts, answer):
    """Replaces the responses under a path by a function that responds."""
    return lambda path, original: answer if path.startswith(path_starts) else original


# Invalid responses, for `instead`.


def raw(content):
    """Responds with these bytes instead of JSON."""
    return lambda handler: send(handler, 200, content)


def truncated(handler):
    head(handler, 200, content_length=1000)
    handler.wfile.write(b'{"height": 1')
    handler.close_connection = True


def slow(handler):
    """Sends one byte every 0.1 s without end."""
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
    """Sends chunks without end."""
    head(handler, 200, transfer_encoding="chunked")
    while True:
        handler.wfile.write(b"8000\r\n" + b" " * 0x8000 + b"\r\n")


def tiny_chunks(handler):
    """Sends chunks of one byte without end, as fast as possible."""
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


def redirect(url):
    """Redirects clients to another server."""

    def answer(handler):
        head(handler, 302, location=url + handler.path, content_length=0)

    return answer
