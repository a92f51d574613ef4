"""An integrator without Node.js: the standard library, and the recipe of docs/other-languages.md."""

import json
import threading
from urllib.error import HTTPError
from http.server import BaseHTTPRequestHandler, HTTPServer

from certify_mock import call, new_session, running_mock

CREATE = """mutation ($input: DeveloperCreateCertificationInviteInput!) {
  developerCreateCertificationInvite(input: $input) { inviteId emailSent }
}"""

WORLD = {
    "quizzes": [
        {
            "id": "quiz_python",
            "skillName": "Python",
            "level": "BEGINNER",
            "ready": True,
            "durationMinutes": 30,
            "enabledLanguages": ["python"],
            "conceptsTested": ["Lists"],
        }
    ],
    "tracks": [
        {
            "id": "track_python",
            "name": "Python",
            "slug": "python",
            "packages": [
                {
                    "id": "pkg_python",
                    "name": "Python for beginners",
                    "level": "BEGINNER",
                    "description": "The language.",
                    "quizIds": ["quiz_python"],
                }
            ],
        }
    ],
    "candidates": [],
}

SWITCHES = {"candidateName": "required", "pendingInvite": "refuse", "errorStatus": 400}

received = []


def status_of(endpoint, invite, key):
    try:
        call("POST", endpoint, {"query": CREATE, "variables": {"input": invite}}, **{"x-api-key": key})
        return 200
    except HTTPError as error:
        return error.code


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        received.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()

with running_mock("--map-callback", f"https://app.example=http://127.0.0.1:{server.server_port}") as mock:
    with new_session(mock) as session:
        control, key = session["control"], session["apiKeys"][0]["key"]
        call("PUT", control + "/world", WORLD)
        call("PATCH", control + "/behaviour", SWITCHES)
        invite = {
            "quizId": "quiz_python",
            "candidate": {"name": "Ada", "email": "ada@example.com"},
            "callbackUrl": "https://app.example/hook",
        }
        refused = []
        refused.append(status_of(session["endpoint"], {**invite, "candidate": {"email": "ada@example.com"}}, key))
        answer = call("POST", session["endpoint"], {"query": CREATE, "variables": {"input": invite}}, **{"x-api-key": key})
        created = answer["data"]["developerCreateCertificationInvite"]
        refused.append(status_of(session["endpoint"], invite, key))
        mail = call("GET", control + "/outbox/wait?to=ada@example.com")
        played = call("POST", f"{control}/invites/{mail['inviteId']}/pass")
        callback = call("GET", f"{control}/callbacks/wait?inviteId={mail['inviteId']}&status=delivered")
        log = call("GET", control + "/requests")
        print(json.dumps({
            "skills": [quiz["skillName"] for quiz in call("GET", control + "/quizzes")["quizzes"]],
            "refused": refused,
            "sameInvite": created["inviteId"] == mail["inviteId"] == callback["inviteId"],
            "played": played["status"],
            "callback": [callback["type"], callback["status"]],
            "received": [event["type"] for event in received],
            "log": [[row["operations"], row["key"], row["status"]] for row in log["rows"]],
            "others": call("GET", mock + "/__mock/health")["invites"],
        }))
