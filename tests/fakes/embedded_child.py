"""Stands in for the embedded model's process: the same arguments, answer and manner of ending, but no model.

The model file's text after its four letters says how to behave: `missing`, `failed`, `silent`, `stubborn`, or serve.
"""

import http.server
import json
import os
import sys
import threading
import time
from pathlib import Path


class Models(http.server.BaseHTTPRequestHandler):
    """Answers every GET with what the process was started with; refuses a wrong key as the real one does."""

    def do_GET(self) -> None:
        is_allowed = self.headers.get("Authorization") == f"Bearer {os.environ['TUI_AGENT_EMBEDDED_KEY']}"
        body = json.dumps({"arguments": sys.argv[1:], "environment": sorted(os.environ), "pid": os.getpid()}).encode()
        self.send_response(200 if is_allowed else 401)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *values: object) -> None:  # noqa: A002
        print(f"served {self.path}", file=sys.stderr)


def main() -> None:
    path, port = Path(sys.argv[1]), int(sys.argv[2])
    behaviour = path.read_text()[4:].strip()
    print("a line for the log", file=sys.stderr, flush=True)
    if behaviour in ("missing", "failed"):
        print(json.dumps({"error": behaviour}), flush=True)
        raise SystemExit(1)
    if behaviour == "silent":
        raise SystemExit(3)
    server = http.server.HTTPServer(("127.0.0.1", port), Models)
    print(json.dumps({"url": f"http://127.0.0.1:{server.server_port}"}), flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()
    if behaviour == "stubborn":
        time.sleep(60)
    os._exit(0)


if __name__ == "__main__":
    main()
