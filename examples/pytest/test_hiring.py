import pytest
from hiring import Refused, Unknown, invite

QUIZ = "quiz_react_beginner_state"


def test_the_candidate_gets_an_email_and_passes(world):
    invite_id = invite(world.base_url, world.key, "ada@example.com", QUIZ)
    assert world.get("/outbox/wait?to=ada@example.com")["inviteId"] == invite_id
    assert world.post(f"/invites/{invite_id}/pass")["status"] == "PASSED"


def test_each_test_has_a_world_of_its_own(world):
    assert world.get("/invites")["total"] == 0
    invite(world.base_url, world.key, "ada@example.com", QUIZ)
    assert world.get("/invites")["total"] == 1


def test_a_refusal_creates_nothing(world):
    with pytest.raises(Refused):
        invite(world.base_url, world.key, "ada@example.com", "quiz_that_does_not_exist")
    assert world.get("/invites")["total"] == 0


@pytest.mark.parametrize(("phase", "created"), [("before", 0), ("after", 1)])
def test_a_lost_response_is_unknown_and_not_a_failure(world, phase, created):
    world.post("/faults", {"phase": phase, "fault": "cut"})
    with pytest.raises(Unknown):
        invite(world.base_url, world.key, "ada@example.com", QUIZ)
    assert world.get("/invites")["total"] == created


def test_a_redirect_sends_the_key_to_nobody_else(world, stranger):
    url, keys = stranger
    world.post("/faults", {"fault": {"status": 302, "headers": {"location": url}, "body": ""}})
    with pytest.raises(Unknown):
        invite(world.base_url, world.key, "ada@example.com", QUIZ)
    assert keys == []


def test_a_link_expires_after_14_days(world):
    invite_id = invite(world.base_url, world.key, "ada@example.com", QUIZ)
    world.post("/clock/advance", {"by": "14d"})
    assert world.get(f"/invites/{invite_id}")["status"] == "EXPIRED"
