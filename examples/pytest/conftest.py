import json
import subprocess
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest


class World:
    """A world of the mock that belongs to one test: its own invites, e-mails, clock and key."""

    def __init__(self, mock):
        self.mock = mock
        session = call("POST", mock + "/__mock/sessions")
        self.id, self.base_url, self.key = session["id"], session["baseUrl"], session["apiKeys"][0]["key"]

    def get(self, path):
        return call("GET", self.base_url + "/__mock" + path)

    def post(self, path, body=None):
        return call("POST", self.base_url + "/__mock" + path, body)

    def close(self):
        call("DELETE", f"{self.mock}/__mock/sessions/{self.id}")


@pytest.fixture(scope="session")
def mock():
    # Not npx: a killed npx leaves the mock running.
    command = ["node_modules/.bin/certify", "mock", "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            yield json.loads(process.stdout.readline())["url"]
        finally:
            process.terminate()


@pytest.fixture
def world(mock):
    world = World(mock)
    yield world
    world.close()


@pytest.fixture
def stranger():
    """Another server, and the keys that it received."""
    keys = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            keys.append(self.headers["x-api-key"])
            self.send_error(404)

        do_POST = do_GET

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", keys
        server.shutdown()


def call(method, url, body=None):
    data = json.dumps(body or {}).encode() if method == "POST" else None
    request = urllib.request.Request(url, data, {"content-type": "application/json"}, method=method)
    with urllib.request.urlopen(request) as response:
        return json.loads(response.read() or "null")
