"""The application under test: it invites candidates with the GraphQL API of the service."""

import json
import urllib.error
import urllib.request
from http.client import HTTPException

CREATE = """mutation ($input: DeveloperCreateCertificationInviteInput!) {
  developerCreateCertificationInvite(input: $input) { inviteId }
}"""


class Unknown(Exception):
    """An invite may have been created. Never call again until somebody has checked."""


class Refused(Exception):
    """The service said no: nothing was created."""


# The service read the request and refused it.
REFUSALS = {"UNAUTHENTICATED", "FORBIDDEN", "NOT_FOUND", "BAD_USER_INPUT"}


def invite(base_url, key, email, quiz_id):
    body = {"query": CREATE, "variables": {"input": {"quizId": quiz_id, "candidate": {"email": email}}}}
    request = urllib.request.Request(
        base_url + "/api/developer/graphql",
        json.dumps(body).encode(),
        {"content-type": "application/json", "x-api-key": key},
    )
    try:
        answer = json.loads(send(request))
        code = answer["errors"][0]["extensions"]["code"] if answer.get("errors") else None
        if code in REFUSALS:
            raise Refused(code)
        return answer["data"]["developerCreateCertificationInvite"]["inviteId"]
    except (OSError, ValueError, LookupError, TypeError, HTTPException) as error:
        raise Unknown from error


class NoRedirects(urllib.request.HTTPRedirectHandler):
    # Following one would send the key to another host.
    def redirect_request(self, *_):
        return None


opener = urllib.request.build_opener(NoRedirects)


def send(request):
    try:
        with opener.open(request, timeout=10) as response:
            return response.read()
    except urllib.error.HTTPError as error:
        if error.code == 429:
            raise Refused("RATE_LIMITED") from None
        return error.read()
