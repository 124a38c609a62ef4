/** `bin/orla_capsule.py` of a new capsule. Raw: backslashes stand for themselves; it has no backticks. */
export const PYTHON_HELPER = String.raw`"""Turns a function into an Orla capsule: a tool whose process stays. Python 3.8 or newer, nothing else.

    from orla_capsule import serve

    def greet(arguments, call):
        return {"greeting": "Hello, " + arguments["name"]}

    serve(greet)

Import it first: from then on what is printed, also by programs you start, goes to stderr, because stdout
carries the protocol. Calls run at the same time, each in its thread. Return text, a dict, or a result in the shape of
MCP ({"content": [...]}). An exception fails this call only; its traceback goes to stderr.

This file is yours: it belongs to the package, and Orla does not need it to be as it is.
"""
import json
import os
import queue
import re
import sys
import threading
import time
import traceback

CLOSING_SECONDS = 2.0  # for calls that still run when Orla closes the input

# The protocol moves to streams nobody else knows; programs started from here do not inherit them.
_input = os.fdopen(os.dup(0), "rb", 65536)
_output = os.dup(1)
_nothing = os.open(os.devnull, os.O_RDONLY)
os.dup2(_nothing, 0)
os.close(_nothing)
os.dup2(2, 1)
sys.stdout = sys.stderr
sys.stderr.reconfigure(line_buffering=True)  # older Pythons would keep it until there is more

_writing = threading.Lock()
_running = {}  # id -> call
_work = queue.SimpleQueue()
_idle = threading.Semaphore(0)  # counts threads that wait for work


class Cancelled(Exception):
    """Raised by call.check() once nobody waits for the answer."""


class Call:
    """One request: what the function gets beside its arguments."""

    def __init__(self, name, token):
        self.name = name
        self.cancelled = threading.Event()  # wait(seconds) on it instead of time.sleep(seconds)
        self._token = token

    def check(self):
        """Call it between steps: raises Cancelled when there is no reason to go on."""
        if self.cancelled.is_set():
            raise Cancelled()

    def progress(self, progress, total=None, message=None):
        """Tells how far it is. Does nothing when the client did not ask."""
        if self._token is None:
            return
        known = {"progressToken": self._token, "progress": progress, "total": total, "message": message}
        params = {key: value for key, value in known.items() if value is not None}
        _send({"method": "notifications/progress", "params": params})


def serve(handle, name=None, version=None):
    """Says hello and answers calls with handle(arguments, call) until the input ends."""
    if name is None or version is None:
        found = _manifest()
        name, version = name or found["name"], version or found["version"]
    _send({"method": "orla.hello", "params": {"name": name, "version": version, "capabilities": ["tools"]}})
    try:
        for line in _input:
            _receive(line, handle)
    except KeyboardInterrupt:
        pass
    _finish()


def _receive(line, handle):
    try:
        message = json.loads(line)
        method, params = message.get("method"), message.get("params") or {}
    except (ValueError, AttributeError):
        print("not a JSON-RPC message:", line[:200], file=sys.stderr)
        return
    if method == "notifications/cancelled":
        call = _running.get(params.get("requestId"))
        if call:
            call.cancelled.set()
    elif "id" not in message or method is None:
        return
    elif method == "ping":
        _send({"id": message["id"], "result": {}})
    elif method == "tools/call":
        call = Call(params.get("name"), (params.get("_meta") or {}).get("progressToken"))
        _running[message["id"]] = call
        if not _idle.acquire(blocking=False):
            threading.Thread(target=_worker, daemon=True).start()
        _work.put((handle, message["id"], params.get("arguments") or {}, call))
    else:
        _send({"id": message["id"], "error": {"code": -32601, "message": "unknown method: %s" % method}})


def _worker():
    while True:
        _answer(*_work.get())
        _idle.release()


def _answer(handle, id, arguments, call):
    try:
        result = handle(arguments, call)
        _send({"id": id, "result": "" if result is None else result})
    except BaseException as error:  # also sys.exit(): whoever waits must hear of it
        if call.cancelled.is_set():
            text = "cancelled"
        else:
            traceback.print_exc()
            text = ("%s: %s" % (type(error).__name__, error)).rstrip(": ")[:1000]
        _send({"id": id, "error": {"code": -32000, "message": text}})
    finally:
        call._token = None  # progress after the answer would confuse the client
        _running.pop(id, None)


def _send(message):
    line = json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":"), allow_nan=False)
    rest = memoryview(line.encode() + b"\n")
    with _writing:
        try:
            while rest:
                rest = rest[os.write(_output, rest) :]
        except BrokenPipeError:
            pass  # Orla is gone; the input ends as well


def _finish():
    """Tells running calls to stop and gives them a moment."""
    for call in list(_running.values()):
        call.cancelled.set()
    deadline = time.monotonic() + CLOSING_SECONDS
    while _running:
        if time.monotonic() > deadline:
            os._exit(0)  # a thread that prints while the interpreter winds down would abort it
        time.sleep(0.01)


def _manifest():
    """Name and version as tool.yaml says them, in this folder or the nearest above."""
    here = os.path.dirname(os.path.abspath(__file__))
    folder, below = here, None
    while folder != below and not os.path.exists(os.path.join(folder, "tool.yaml")):
        folder, below = os.path.dirname(folder), folder
    path = os.path.join(folder, "tool.yaml")
    text = open(path, encoding="utf-8").read() if os.path.exists(path) else ""
    found = dict(re.findall(r"""^\ufeff?(name|version):\s*["']?([^"'\s#]+)""", text, re.M))
    if len(found) < 2:
        raise SystemExit("no tool.yaml with name: and version: in or above %s: use serve(handle, name, version)" % here)
    return found
`
