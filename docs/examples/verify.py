"""Checks what Baton exports and signs, from docs/evidence.md alone: python3 verify.py KEYS.json FILE..."""
import base64, hashlib, json, re, sys

P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D, ROOT = -121665 * pow(121666, P - 2, P) % P, pow(2, (P - 1) // 4, P)
PROOF = ["sessionId", "seq", "chain", "at", "keyId", "signature"]
SEAL, CERTIFICATE = ([*PROOF[:3], "files", "blobs", own, *PROOF[3:]] for own in ("sha256", "purged"))
sha = lambda *parts: hashlib.sha256(b"".join(parts)).digest()
utf16 = lambda names: sorted(names, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
class Number(str): pass  # keeps the text that it came with: the server writes it as RFC 8785 does
def parse(text):
    def members(pairs):
        assert len(dict(pairs)) == len(pairs), "a member appears twice"
        return dict(pairs)
    return json.loads(text, object_pairs_hook=members, parse_int=Number, parse_float=Number, parse_constant=int)
def write(value, order=list):  # without spaces; with sorted names this is RFC 8785
    if isinstance(value, dict):
        return "{" + ",".join(write(name) + ":" + write(value[name], order) for name in order(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(write(item, order) for item in value) + "]"
    text = value if isinstance(value, Number) else json.dumps(value, ensure_ascii=False)
    return re.sub("[\ud800-\udfff]", lambda half: "\\u%04x" % ord(half[0]), text)
def bytes_of(text):
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    assert data and base64.urlsafe_b64encode(data).decode().rstrip("=") == text
    return data

def add(a, b):  # Ed25519 (RFC 8032) in extended coordinates
    s, t = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    u, v = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    return ((t - s) * (v - u) % P, (v + u) * (t + s) % P, (v - u) * (v + u) % P, (t - s) * (t + s) % P)
def times(n, point, total=(0, 1, 1, 0)):
    for bit in bin(n)[2:]:
        total = add(add(total, total), point) if bit == "1" else add(total, total)
    return total
def point_of(data):
    y, odd = int.from_bytes(data, "little") & (2**255 - 1), data[31] >> 7
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P)
    x = pow(square, (P + 3) // 8, P)
    x = x if (x * x - square) % P == 0 else x * ROOT % P
    assert len(data) == 32 and y < P and (x * x - square) % P == 0, "not a point"
    return (x, y, 1, x * y % P) if x & 1 == odd else (P - x, y, 1, (P - x) * y % P)

def check_signed(kind, signed, keys, head=None):
    said, names = [signed[one] for one in PROOF[:3]], {"proof": PROOF, "seal": SEAL}.get(kind, list(signed))
    assert head in (None, said) and signed.get("purged", True) is True and (names == list(signed) or not head)
    assert utf16(signed) == utf16(CERTIFICATE if kind == "certificate" else names)
    assert kind != "receipt" or "state" in signed and not check_signed("proof", signed["proof"], keys, said)
    data, public = bytes_of(signed["signature"]), bytes_of(keys[signed["keyId"]])
    text = write({name: signed[name] for name in signed if name != "signature"}, utf16).encode()
    s, k = int.from_bytes(data[32:], "little"), hashlib.sha512(data[:32] + public + text).digest()
    a = times(s, point_of(bytes([88] + [102] * 31)))
    b = add(point_of(data[:32]), times(int.from_bytes(k, "little") % L, point_of(public)))
    assert len(data) == 64 and s < L and all((a[i] * b[2] - b[i] * a[2]) % P == 0 for i in (0, 1))

def verify(data, keys):
    session, head, chain, log, seen, files, wanted, content = "", 0, b"", "", [], {}, None, b""
    try:
        if re.match(rb'\s*\{\s*"(receipt|certificate|proof)"', data):  # a signed document by itself
            ((name, value),) = parse(data).items()
            return check_signed(name, value, keys) or "whole"
        *lines, rest = data.split(b"\n")
        for line in (raw.decode() for raw in lines):
            (name, value), *more = parse(line).items()
            assert write(parse(line)) == line and value and (session if not more else name == "commit")
            if name == "commit" and not seen:
                session, body = session or value["sessionId"], line[len('{"commit":') : -len(',"chain":""}') - 64]
                chain = tail = sha(chain or session.encode(), sha(body.encode()))
                assert more == [("chain", chain.hex())] and value["sessionId"] == session and re.fullmatch(r"ses_[A-Za-z0-9_-]+", session)
                seqs, last = [event["seq"] for event in value["events"]], int(value["last"])
                assert seqs == [str(seq) for seq in range(head + 1, last + 1)] and value["first"] == seqs[0]
                head, log = last, name
                for event in value["events"]:
                    if event["type"] in ("upload.confirmed", "upload.removed"):
                        files[event["payload"]["upload"]] = event["type"], event["payload"].get("sha256")
            elif name == "trimmed" and not seen:
                for first, last, digest in value:
                    assert write([first, last]) == f"[{head + 1},{max(head + 1, int(last))}]"
                    assert re.fullmatch("[0-9a-f]{64}", "0" * 64 if digest is None else digest)
                    head, log, chain = int(last), name, sha(chain, bytes.fromhex(digest)) if digest else chain
            else:
                assert log == "commit" and "seal" not in seen and (name == "proof") == (not seen)
                if name != "data":
                    assert wanted in (None, hashlib.sha256(content).hexdigest())
                    wanted, content = value["sha256"] if name in ("file", "blob") else None, b""
                elif wanted:
                    content += bytes_of(value)
                if name in ("proof", "receipt", "seal"):
                    check_signed(name, value, keys, [session, str(head), chain.hex()])
                held = [str(seen.count("file")), str(seen.count("blob")), tail.hex()]
                assert name != "file" or files[value["id"]] == ("upload.confirmed", wanted)
                assert name != "seal" or [value[one] for one in SEAL[3:6]] == held
                tail, seen = sha(tail, sha(line.encode())), [*seen, name]
        assert rest == b"" and (seen == ["proof"] or seen[-1] == "seal")
        return "whole"
    except (AssertionError, AttributeError, LookupError, TypeError, ValueError):
        return f"wrong {head + 1}"
if __name__ == "__main__":
    known = {key["kid"]: key["x"] for key in json.load(open(sys.argv[1], encoding="utf-8"))["keys"]}
    print(*(verify(open(path, "rb").read(), known) for path in sys.argv[2:]), sep="\n")
