"""An integrator without Node.js: the standard library, and the recipe of docs/other-languages.md."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

from certify_mock import call, new_session, running_mock

CREATE = """mutation ($input: DeveloperCreateCertificationInviteInput!) {
  developerCreateCertificationInvite(input: $input) { inviteId emailSent }
}"""

received = []


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
        invite = {
            "quizId": "quiz_react_beginner_state",
            "candidate": {"email": "ada@example.com"},
            "callbackUrl": "https://app.example/hook",
        }
        answer = call("POST", session["endpoint"], {"query": CREATE, "variables": {"input": invite}}, **{"x-api-key": key})
        created = answer["data"]["developerCreateCertificationInvite"]
        mail = call("GET", control + "/outbox/wait?to=ada@example.com")
        played = call("POST", f"{control}/invites/{mail['inviteId']}/pass")
        callback = call("GET", f"{control}/callbacks/wait?inviteId={mail['inviteId']}&status=delivered")
        log = call("GET", control + "/requests")
        print(json.dumps({
            "sameInvite": created["inviteId"] == mail["inviteId"] == callback["inviteId"],
            "played": played["status"],
            "callback": [callback["type"], callback["status"]],
            "received": [event["type"] for event in received],
            "log": [[row["operations"], row["key"], row["status"]] for row in log["rows"]],
            "others": call("GET", mock + "/__mock/health")["invites"],
        }))
