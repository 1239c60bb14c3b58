# The calls of test/sdk/client.test.ts and answers.test.ts. Reads lines of JSON, each of which tells a
# call by its name, and prints what came of each as a line of JSON.
import json
import sys

from corridor import ApiError, Corridor, CorridorError, Listing, Options, Raw


def fault(call):
    try:
        call()
    except CorridorError as error:
        return {"reason": error.reason, "attempts": error.attempts}
    raise AssertionError("it was not refused")


def answered(client, way, given_to, query):
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


def wrong(client, pay):
    """The names of the options that are refused."""
    named = []
    for options in ({"timeout_s": 0}, {"timeout_s": "5"}, {"total_timeout_s": float("nan")}, {"max_retries": -1}):
        try:
            client.account.retrieve(options=Options(**options))
        except ValueError as error:
            named.append(str(error).split()[0])
    for key in ("", "\u00e4", "a" * 256):
        try:
            pay(idempotency_key=key)
        except ValueError as error:
            named.append(str(error).split()[0])
    return named


def outcome(given):
    client = Corridor(given["api_key"], given["base_url"], **given["settings"])

    def pay(**more):
        return client.payouts.create(given["body"], **more)

    match given["do"]:
        case "answers":
            return [answered(client, one["way"], one["given"], one["query"]) for one in given["calls"]]
        case "pay":
            answer = pay()
            return {"id": answer["id"], "replayed": answer.replayed, "attempts": answer.attempts}
        case "refused":
            return fault(pay)
        case "wrong":
            return wrong(client, pay)
        case "patience":
            try:
                pay()
            except ApiError as error:
                return [error.reason, error.code, error.retry_after_s, error.attempts]
        case "list":
            every = [one["id"] for one in client.payouts.list(limit=2)]
            back = [one["id"] for one in client.payouts.list(limit=2, ending_before=every[-1])]
            return {"every": every, "back": back}
        case "large":
            return str(client.payouts.retrieve("pot_1", options=Options(max_retries=0))["amount"])


for line in sys.stdin:
    print(json.dumps(outcome(json.loads(line)), default=float), flush=True)
