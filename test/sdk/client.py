# The calls of test/sdk/client.test.ts and answers.test.ts, each told by its name. Prints what came of it as JSON.
import json
import sys

from corridor import ApiError, Corridor, CorridorError, Listing, Options, Raw

given = json.load(sys.stdin)
client = Corridor(given["api_key"], given["base_url"], **given["settings"])


def fault(call):
    try:
        call()
    except CorridorError as error:
        return {"reason": error.reason, "attempts": error.attempts}
    raise AssertionError("it was not refused")


def answered(way, given_to, query):
    """What a method answers, as it reads it; of an answer that is not JSON, its type alone."""
    member = client
    for name in way:
        member = getattr(member, name)
    try:
        answer = member(*given_to, **query)
    except ApiError as error:
        return {"status": error.status, "type": error.headers["content-type"], "errors": error.errors}
    if isinstance(answer, Listing):
        return {"status": 200, "type": "application/json", "data": answer.page()}
    data = None if isinstance(answer, Raw) else answer.data
    return {"status": answer.status, "type": answer.headers["content-type"], "data": data}


def pay(**more):
    return client.payouts.create(given["body"], **more)


if given["do"] == "answers":
    out = [answered(one["way"], one["given"], one["query"]) for one in given["calls"]]
elif given["do"] == "pay":
    answer = pay()
    out = {"id": answer["id"], "replayed": answer.replayed, "attempts": answer.attempts}
elif given["do"] == "refused":
    out = fault(pay)
elif given["do"] == "wrong":
    out = []
    for options in ({"timeout_s": 0}, {"timeout_s": "5"}, {"total_timeout_s": float("nan")}, {"max_retries": -1}):
        try:
            client.account.retrieve(options=Options(**options))
        except ValueError as error:
            out.append(str(error).split()[0])
    for key in ("", "\u00e4", "a" * 256):
        try:
            pay(idempotency_key=key)
        except ValueError as error:
            out.append(str(error).split()[0])
elif given["do"] == "patience":
    try:
        pay()
    except ApiError as error:
        out = [error.reason, error.code, error.retry_after_s, error.attempts]
elif given["do"] == "list":
    every = [one["id"] for one in client.payouts.list(limit=2)]
    back = [one["id"] for one in client.payouts.list(limit=2, ending_before=every[-1])]
    out = {"every": every, "back": back}
elif given["do"] == "large":
    out = client.payouts.retrieve("pot_1", options=Options(max_retries=0))["amount"]
    out = str(out)
print(json.dumps(out, default=float))
