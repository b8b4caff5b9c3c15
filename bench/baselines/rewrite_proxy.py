# Replaces a token by its card number in mitmdump, as a user would do it without the vault.
import re

from mitmproxy import http

CARDS = {}
TOKEN = re.compile(rb"[0-9a-f]{32}")


def load(loader):
    import json, os

    CARDS.update({k.encode(): v.encode() for k, v in json.loads(os.environ["CARDS"]).items()})


def request(flow: http.HTTPFlow) -> None:
    flow.request.content = TOKEN.sub(lambda m: CARDS.get(m.group(0), m.group(0)), flow.request.content)
