"""Runs Python's asyncssh for the tests.

It reads a verb and its arguments from each line, and answers with a line that begins with `ok` or `failed`.
"""

import asyncio
import os
import sys

import asyncssh


def answer(*words):
    print("\t".join(" ".join(str(word).split()) for word in words), flush=True)


def login():
    key = os.environ.get("TEST_KEY")
    if key:
        return {"client_keys": [key], "preferred_auth": "publickey"}
    return {"password": os.environ["TEST_PASSWORD"], "client_keys": None, "preferred_auth": "password"}


async def resume(sftp, local, remote):
    """The library cannot resume an upload, so this appends what is missing, as a user's script would."""
    size = (await sftp.stat(remote)).size
    with open(local, "rb") as source:
        source.seek(size)
        async with sftp.open(remote, "ab") as target:
            await target.write(source.read())


VERBS = {
    "put": lambda sftp, local, remote: sftp.put(local, remote),
    "resume": resume,
    "rename": lambda sftp, source, target: sftp.rename(source, target),
    "get": lambda sftp, remote, local: sftp.get(remote, local),
    "names": lambda sftp, folder: sftp.listdir(folder),
}


async def talk():
    connection = await asyncssh.connect(
        "127.0.0.1",
        int(os.environ["TEST_PORT"]),
        username=os.environ["TEST_USER"],
        known_hosts=None,
        agent_path=None,
        config=None,
        login_timeout=20,
        **login(),
    )
    async with connection, connection.start_sftp_client() as sftp:
        answer("ok")
        while line := await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline):
            verb, *arguments = line.rstrip("\n").split("\t")
            try:
                result = await VERBS[verb](sftp, *arguments)
                answer("ok", *(result if verb == "names" else []))
            except (OSError, asyncssh.Error) as error:
                answer("failed", f"{type(error).__name__}: {error}")


try:
    asyncio.run(talk())
except (OSError, asyncssh.Error) as error:
    answer("failed", f"{type(error).__name__}: {error}")
    sys.exit(1)
