"""Stands in for the engine of the embedded model: listens, lists one model, answers nothing."""

import http.server
import json
import threading
from types import SimpleNamespace
from typing import Any


class CommonParams:
    """Takes any parameter."""

    def __init__(self) -> None:
        self.model = SimpleNamespace()
        self.cpuparams = SimpleNamespace()
        self.cpuparams_batch = SimpleNamespace()


class Server:
    """Serves on a free port of loopback."""

    def __init__(self, parameters: Any) -> None:
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Models)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def listening_address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"


class _Models(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = json.dumps({"object": "list", "data": [{"id": "fake-model", "object": "model"}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *values: object) -> None:  # noqa: A002
        pass
