"""Uses the client that openapi-python-client generates from the served document.

Calls every GET that needs no id, writes three records, and compares typed values with the JSON that the server sent. The URL and an
account are in FIELDHOUSE_URL, FIELDHOUSE_EMAIL and FIELDHOUSE_PASSWORD.
"""

import datetime
import importlib
import os

from fieldhouse_openapi import AuthenticatedClient, Client
from fieldhouse_openapi.api.api_keys import api_keys_create
from fieldhouse_openapi.api.auth import auth_login
from fieldhouse_openapi.api.favorites import favorites_change, favorites_save
from fieldhouse_openapi.api.games import games_upcoming
from fieldhouse_openapi.api.seasons import seasons_create, seasons_read
from fieldhouse_openapi.api.service import service_openapi
from fieldhouse_openapi.models import (
    ApiKeyCreate,
    Code,
    CustomProgram,
    FavoriteChange,
    FavoriteSave,
    GameStatus,
    Login,
    Problem,
    Role,
    SeasonCreate,
    SeasonStatus,
    Stage,
)


def same(typed, sent):
    """Whether a typed value equals the JSON. Times may have another form."""
    if isinstance(typed, dict) and isinstance(sent, dict):
        return typed.keys() == sent.keys() and all(same(typed[name], sent[name]) for name in sent)
    if isinstance(typed, list) and isinstance(sent, list):
        return len(typed) == len(sent) and all(map(same, typed, sent))
    if isinstance(typed, str) and isinstance(sent, str) and typed != sent:
        return datetime.datetime.fromisoformat(typed) == datetime.datetime.fromisoformat(sent)
    return typed == sent


def checked(response, status):
    """Checks the status and that the types contain everything that was sent. Returns the typed body."""
    assert response.status_code == status, (response.status_code, response.content)
    if response.headers["content-type"].endswith("json"):
        typed = response.parsed.to_dict() if hasattr(response.parsed, "to_dict") else response.parsed
        assert same(typed, importlib.import_module("json").loads(response.content)), response.content
    return response.parsed


url = os.environ["FIELDHOUSE_URL"]
login = Login(email=os.environ["FIELDHOUSE_EMAIL"], password=os.environ["FIELDHOUSE_PASSWORD"])
anyone = Client(base_url=url)
tokens = checked(auth_login.sync_detailed(client=anyone, body=login), 200).data
assert tokens.role is Role.ADMIN
session = AuthenticatedClient(base_url=url, token=tokens.access_token)
issued = checked(api_keys_create.sync_detailed(client=session, body=ApiKeyCreate(name="Sample")), 201).data
key = AuthenticatedClient(base_url=url, token=issued.key, prefix="", auth_header_name="x-api-key")

document = checked(service_openapi.sync_detailed(client=anyone), 200)
called = 0
for path, operations in document["paths"].items():
    operation = operations.get("get")
    # Those of the operator need a token of the server's machine.
    if operation and "{" not in path and not path.startswith("/operator"):
        name = operation["operationId"].replace(".", "_")
        module = importlib.import_module(f"fieldhouse_openapi.api.{operation['tags'][0]}.{name}")
        caller = key if name == "api_keys_current" else session
        # The pages that links open need the token of a link.
        checked(module.sync_detailed(client=caller), 410 if "410" in operation["responses"] else 200)
        called += 1
assert called >= 15, called

wanted = SeasonCreate(name="Sample season", sport="basketball", time_zone="Australia/Melbourne")
season = checked(seasons_create.sync_detailed(client=session, body=wanted), 201).data
assert season.status is SeasonStatus.DRAFT and season.starts_on is None and season.version == 1
assert season.created_at.tzinfo is not None
assert checked(seasons_read.sync_detailed(season.id, client=session), 200).data == season

program = FavoriteSave(custom=CustomProgram(college_name="Sample College", sport="softball"))
saved = checked(favorites_save.sync_detailed(client=session, body=program), 201)
assert saved.meta.created and saved.data.stage is Stage.SAVED
again = checked(favorites_save.sync_detailed(client=session, body=program), 200)
assert not again.meta.created and again.data.id == saved.data.id
change = FavoriteChange(stage=Stage.IN_CONVERSATION)
changed = checked(favorites_change.sync_detailed(saved.data.id, client=session, body=change), 200).data
assert changed.stage is Stage.IN_CONVERSATION and changed.version == 2

games = checked(games_upcoming.sync_detailed(client=key, limit=100), 200)
assert games.data and all(isinstance(game.status, GameStatus) for game in games.data)
assert all(game.starts_at.tzinfo is not None for game in games.data)

problem = seasons_create.sync_detailed(client=session, body=wanted)
assert problem.status_code == 409 and isinstance(problem.parsed, Problem)
assert problem.parsed.code is Code.DUPLICATE
print(f"{called} lists and documents read, 4 records written, all as typed.")
