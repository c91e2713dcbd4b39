"""Checks what Baton exports and signs, from docs/evidence.md alone: python3 verify.py KEYS.json FILE..."""
import base64, hashlib, json, re, sys

P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
PROOF = ["sessionId", "seq", "chain", "at", "keyId", "signature"]
SEAL = ["sessionId", "seq", "chain", "files", "blobs", "sha256", "at", "keyId", "signature"]

def add(a, b):  # Ed25519 (RFC 8032) in extended coordinates
    s, t = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    u, v = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    e, f, g, h = t - s, v - u, v + u, t + s
    return (e * f % P, g * h % P, f * g % P, e * h % P)

def times(n, point, total=(0, 1, 1, 0)):
    for bit in bin(n)[2:]:
        total = add(add(total, total), point) if bit == "1" else add(total, total)
    return total

def point_of(data):
    y, sign = int.from_bytes(data, "little") & (2**255 - 1), data[31] >> 7
    xx = (y * y - 1) * pow(D * y * y + 1, P - 2, P)
    x = pow(xx, (P + 3) // 8, P)
    x = x if (x * x - xx) % P == 0 else x * pow(2, (P - 1) // 4, P) % P
    assert y < P and (x * x - xx) % P == 0, "not a point"
    return (x, y, 1, x * y % P) if x & 1 == sign else (P - x, y, 1, (P - x) * y % P)

BASE = point_of(bytes([88] + [102] * 31))
compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
sha = lambda *parts: hashlib.sha256(b"".join(parts)).digest()

def bytes_of(text):
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    assert text and base64.urlsafe_b64encode(data).decode().rstrip("=") == text
    return data

def canonical(value):  # RFC 8785: names sort as UTF-16, and fractions keep the text they came with
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(compact(name) + ":" + canonical(value[name]) for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    return value.decode() if isinstance(value, bytes) else compact(value)

def check_signature(text, name, keys):
    signed = json.loads(text, parse_float=str.encode)[name]
    data, public = bytes_of(signed.pop("signature")), bytes_of(keys[signed["keyId"]])
    hashed = hashlib.sha512(data[:32] + public + canonical(signed).encode()).digest()
    s, h = int.from_bytes(data[32:], "little"), int.from_bytes(hashed, "little") % L
    a, b = times(s, BASE), add(point_of(data[:32]), times(h, point_of(public)))
    assert len(data) == 64 and s < L and all((a[i] * b[2] - b[i] * a[2]) % P == 0 for i in (0, 1))
    assert [one in signed for one in ("purged", "state")] == [name == "certificate", name == "receipt"]
    return "whole"

def verify(data, keys):
    session, head, chain, log, seen, wanted, content = "", 0, b"", "", [], "", None
    try:
        found = re.match(rb'\{"(receipt|certificate|proof)":', data)
        if found and len(json.loads(data)) == 1:  # a signed document by itself
            return check_signature(data.decode(), found[1].decode(), keys)
        *lines, rest = data.split(b"\n")
        for raw in lines:
            found = re.fullmatch(r'\{"commit":(.*),"chain":"(\w{64})"\}', line := raw.decode(), re.S)
            if found:
                body, log = json.loads(found[1]), "commit"
                session = session or body["sessionId"]
                chain = tail = sha(chain or session.encode(), sha(found[1].encode()))
                assert chain.hex() == found[2] and body["sessionId"] == session and not seen
                seqs = [one["seq"] for one in body["events"]]
                assert seqs == list(range(head + 1, body["last"] + 1)) and body["first"] == head + 1
                head = body["last"]
                continue
            ((name, value),) = json.loads(line).items()
            assert session and value and (name == "receipt" or f'{{"{name}":{compact(value)}}}' == line)
            if name == "trimmed" and not seen:
                for first, last, digest in value:
                    assert first == head + 1 <= last and re.fullmatch("[0-9a-f]{64}", digest or "0" * 64)
                    chain = chain if digest is None else sha(chain, bytes.fromhex(digest))
                    head, log = last, "trimmed"
                continue
            assert log == "commit" and "seal" not in seen
            assert name == "data" or not wanted or content.hexdigest() == wanted
            if name == "data":
                content.update(bytes_of(value))
            elif name in ("file", "blob"):
                wanted, content = value["sha256"], hashlib.sha256()
            else:
                wanted, content = check_signature(line, name, keys) and "", None
                assert name == "receipt" or list(value) == {"proof": PROOF, "seal": SEAL}[name]
                assert [value[one] for one in PROOF[:3]] == [session, head, chain.hex()]
            held = [seen.count("file"), seen.count("blob"), tail.hex()]
            assert name != "seal" or [value[one] for one in SEAL[3:6]] == held
            tail, seen = sha(tail, sha(raw)), [*seen, name]
        assert rest == b"" and (seen == ["proof"] or seen[-1] == "seal")
        return "whole"
    except (AssertionError, AttributeError, LookupError, TypeError, ValueError):
        return f"wrong {head + 1}"
if __name__ == "__main__":
    known = {key["kid"]: key["x"] for key in json.load(open(sys.argv[1], encoding="utf-8"))["keys"]}
    print(*(verify(open(path, "rb").read(), known) for path in sys.argv[2:]), sep="\n")
