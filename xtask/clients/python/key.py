"""Prints a new API key of the account in FIELDHOUSE_EMAIL and FIELDHOUSE_PASSWORD."""

import os

from fieldhouse_openapi import AuthenticatedClient, Client
from fieldhouse_openapi.api.api_keys import api_keys_create
from fieldhouse_openapi.api.auth import auth_login
from fieldhouse_openapi.models import ApiKeyCreate, Login

url = os.environ["FIELDHOUSE_URL"]
login = Login(email=os.environ["FIELDHOUSE_EMAIL"], password=os.environ["FIELDHOUSE_PASSWORD"])
tokens = auth_login.sync(client=Client(base_url=url), body=login).data
session = AuthenticatedClient(base_url=url, token=tokens.access_token)
print(api_keys_create.sync(client=session, body=ApiKeyCreate(name="Generated requests")).data.key)
