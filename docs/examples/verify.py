"""Checks exports of Baton, from docs/evidence.md alone: python3 verify.py KEYS.json FILE..."""

import base64
import hashlib
import json
import re
import sys

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def add(a, b):  # Ed25519 (RFC 8032) in extended coordinates
    s, t = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    u, v = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    e, f, g, h = t - s, v - u, v + u, t + s
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def times(n, point):
    total = (0, 1, 1, 0)
    for bit in bin(n)[2:]:
        total = add(total, total)
        total = add(total, point) if bit == "1" else total
    return total


def point_of(data):
    y, sign = int.from_bytes(data, "little") & (2**255 - 1), data[31] >> 7
    xx = (y * y - 1) * pow(D * y * y + 1, P - 2, P)
    x = pow(xx, (P + 3) // 8, P)
    x = x if (x * x - xx) % P == 0 else x * pow(2, (P - 1) // 4, P) % P
    assert y < P and (x * x - xx) % P == 0, "not a point"
    x = x if x & 1 == sign else P - x
    return (x, y, 1, x * y % P)


BASE = point_of(bytes([88] + [102] * 31))


def bytes_of(text, length):
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    assert base64.urlsafe_b64encode(data).decode().rstrip("=") == text and len(data) == length
    return data


def check_signature(proof, keys):
    data = bytes_of(proof["signature"], 64)
    public = bytes_of(keys[proof["keyId"]], 32)
    rest = {name: value for name, value in proof.items() if name != "signature"}
    message = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    s, digest = int.from_bytes(data[32:], "little"), hashlib.sha512(data[:32] + public + message)
    h = int.from_bytes(digest.digest(), "little") % L
    a, b = times(s, BASE), add(point_of(data[:32]), times(h, point_of(public)))
    assert s < L and all((a[i] * b[2] - b[i] * a[2]) % P == 0 for i in (0, 1))
    return proof["seq"]


def verify(data, keys):
    session, head, chain, ends, covered = None, 0, b"", {}, 0
    try:
        assert data.endswith(b"\n")
        for line in data[:-1].decode("utf-8").split("\n"):
            found = re.fullmatch(r'\{"commit":(.*),"chain":"([0-9a-f]{64})"\}', line, re.DOTALL)
            if found:
                body = json.loads(found[1])
                chain = body["sessionId"].encode() if session is None else chain
                session = session or body["sessionId"]
                chain = hashlib.sha256(chain + hashlib.sha256(found[1].encode()).digest()).digest()
                assert chain.hex() == found[2] and body["sessionId"] == session
                numbers = list(range(head + 1, body["last"] + 1))
                assert [one["seq"] for one in body["events"]] == numbers and body["first"] == head + 1
                head, ends[body["last"]] = body["last"], found[2]
                continue
            ((name, value),) = json.loads(line).items()
            assert json.dumps({name: value}, separators=(",", ":"), ensure_ascii=False) == line
            assert session and value and (name == "trimmed" or (name == "proof" and covered == 0))
            for first, last, digest in value if name == "trimmed" else []:
                assert first == head + 1 and last >= first
                if digest is not None:
                    assert re.fullmatch("[0-9a-f]{64}", digest)
                    chain = hashlib.sha256(chain + bytes.fromhex(digest)).digest()
                head = last
            if name == "proof":
                assert sorted(value) == ["at", "chain", "keyId", "seq", "sessionId", "signature"]
                assert value["sessionId"] == session and ends[value["seq"]] == value["chain"]
                covered = check_signature(value, keys)
        assert covered == head and head in ends
        return "whole"
    except (AssertionError, KeyError, TypeError, ValueError, AttributeError):
        return f"wrong {head + 1}"


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        known = {key["kid"]: key["x"] for key in json.load(file)["keys"]}
    for path in sys.argv[2:]:
        with open(path, "rb") as file:
            print(verify(file.read(), known))
