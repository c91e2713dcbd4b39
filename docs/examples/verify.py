"""Checks exported logs, receipts, certificates and proofs of Baton. Written from docs/evidence.md alone; needs no packages.
Use: python3 verify.py KEYS.json FILE...   KEYS.json is a copy of /.well-known/baton-keys.json. Prints one verdict per file."""
import base64, hashlib, json, re, sys
def need(condition):
    if not condition: raise ValueError
def sha(data): return hashlib.sha256(data).digest()
def b64(text):  # base64url without padding, and without unused bits that are set
    raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return raw if base64.urlsafe_b64encode(raw).decode().rstrip("=") == text else need(False)
# JSON: parse() refuses members that appear twice. write() writes as JSON.stringify does; with sort, as in RFC 8785.
def members(pairs): return dict(pairs) if len(dict(pairs)) == len(pairs) else need(False)
def parse(text): return json.loads(text, object_pairs_hook=members, parse_int=float, parse_constant=lambda name: need(False))
def number(v):  # as JavaScript: without an exponent from 1e-6 to 1e21, where Python does this from 1e-4 to 1e16; -0 is 0
    if v < 0: return "-" + number(-v)
    text, _, e = repr(v + 0.0).removesuffix(".0").partition("e")
    digits, e = text.replace(".", ""), int(e or 0)
    if 15 < e < 21 or -7 < e < 0: return digits.ljust(e + 1, "0") if e > 0 else "0." + "0" * (-e - 1) + digits
    return text + (f"e{e:+}" if e else "")
def write(v, sort=False):
    if isinstance(v, str): return re.sub("[\ud800-\udfff]", lambda m: "\\u%x" % ord(m[0]), json.dumps(v, ensure_ascii=False))
    if isinstance(v, list): return "[" + ",".join(write(x, sort) for x in v) + "]"
    if isinstance(v, float): return number(v)
    if not isinstance(v, dict): return json.dumps(v)  # null, true, false
    names = sorted(v, key=lambda name: name.encode("utf-16-be", "surrogatepass")) if sort else v
    return "{" + ",".join(write(name) + ":" + write(v[name], sort) for name in names) + "}"
def read_line(line):
    doc = parse(line.decode())
    return doc if write(doc) == line.decode() and (len(doc) == 1 or list(doc) == ["commit", "chain"]) else need(False)
# Ed25519 (RFC 8032). A point is (X, Y, Z) with x = X/Z and y = Y/Z.
P, L = 2 ** 255 - 19, 2 ** 252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
def add(p, q):
    a, b, c = p[2] * q[2] % P, p[0] * q[0] % P, p[1] * q[1] % P
    f, g = (a * a - D * b * c) % P, (a * a + D * b * c) % P
    return a * f * ((p[0] + p[1]) * (q[0] + q[1]) - b - c) % P, a * g * (b + c) % P, f * g % P
def times(k, p): return (0, 1, 1) if k == 0 else add(times(k - 1, p), p) if k & 1 else times(k >> 1, add(p, p))
def point(raw):
    y, odd = int.from_bytes(raw, "little") % 2 ** 255, raw[31] >> 7
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x, i = pow(square, (P + 3) // 8, P), pow(2, (P - 1) // 4, P)
    return next(r % P for r in (x, -x, x * i, -x * i) if y < P and r * r % P == square and r % P % 2 == odd), y, 1
def verifies(key, message, signature):
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % L
    s, base = int.from_bytes(signature[32:], "little"), point((4 * pow(5, -1, P) % P).to_bytes(32, "little"))
    a, b = times(s, base), add(point(signature[:32]), times(k, point(key)))  # these must be the same point
    return len(key + signature) == 96 and s < L and all((a[n] * b[2] - b[n] * a[2]) % P == 0 for n in (0, 1))
MEMBERS = {"commit": "sessionId first last participant events", "file": "id sha256", "blob": "sha256 size",
           "proof": "sessionId seq chain at keyId signature", "seal": "sessionId seq chain files blobs sha256 at keyId signature",
           "certificate": "sessionId seq chain files blobs purged at keyId signature"}
def check_signed(kind, doc, keys, head=None):  # head: the session, seq and chain that it must name; None for a document by itself
    named, text = [doc["sessionId"], doc["seq"], doc["chain"]], write({n: doc[n] for n in doc if n != "signature"}, True)
    need((named == head if head else kind != "seal") and verifies(b64(keys[doc["keyId"]]), text.encode(), b64(doc["signature"])))
    if kind == "receipt": return need(isinstance(doc["state"], str)) or check_signed("proof", doc["proof"], keys, named)
    need(sorted(doc) == sorted(MEMBERS[kind].split()) and doc.get("purged", True) is True)
def check_export(data, keys, right):  # right[0] becomes the last event that was right
    (*lines, rest), uploads, trims, missing = data.split(b"\n"), {}, [], []
    chain = (session := re.fullmatch("ses_[A-Za-z0-9_-]+", read_line(lines[0])["commit"]["sessionId"])[0]).encode()
    for count, doc in enumerate(map(read_line, lines)):
        if "commit" in doc:
            body, events = doc["commit"], doc["commit"]["events"]
            need(" ".join(body) == MEMBERS["commit"] and body["sessionId"] == session and body["last"] == right[0] + len(events))
            need(all(e["seq"] == n and type(e["type"]) is str for n, e in enumerate(events, right[0] + 1)))
            need(all(type(e["payload"]) is dict and re.fullmatch("[a-z_]*", e.get("state", "")) for e in events))
            uploads.update((e["payload"]["upload"], e) for e in events if e["type"] in ("upload.confirmed", "upload.removed"))
            trims += [e["payload"] for e in events if e["type"] == "session.trimmed" and e["payload"].get("outcome") == "success"]
        elif not doc.get("trimmed"): break  # an empty list is wrong too: see the order of the tail below
        for first, last, digest in doc.get("trimmed", [(body["first"], body["last"], sha(write(body).encode()).hex())]):
            need(first == right[0] + 1 and type(last) is float and first <= last == last // 1 < 2 ** 53)
            chain = sha(chain + bytes.fromhex(re.fullmatch("[0-9a-f]{64}", digest)[0]))
            right[0] = int(last) if "trimmed" in doc or chain.hex() == doc["chain"] else need(False)
        missing += doc.get("trimmed", [])
    tail, head = [list(read_line(line).items())[0] for line in lines[count:]], [session, right[0], chain.hex()]
    kinds, blobs = [kind for kind, value in tail], [value["sha256"] for kind, value in tail if kind == "blob"]
    need(re.fullmatch("proof( receipt( file( data)*)*( blob( data)*)* seal)?", " ".join(kinds)) and blobs == sorted(set(blobs)))
    need(not rest and lines[count - 1].startswith(b'{"commit"'))  # the last line of the log is a commit
    for n, (kind, value) in enumerate(tail):
        need(kind in ("receipt", "data") or " ".join(value) == MEMBERS[kind])
        if kind in ("file", "blob"):
            event, end = kind == "file" and uploads[value["id"]], next(i for i in range(n + 1, len(tail)) if kinds[i] != "data")
            content = b"".join(b64(text or None) for _, text in tail[n + 1:end])  # no part is empty
            need(sha(content).hex() == value["sha256"] and (event or value["size"] == len(content)))
            need(not event or event["type"] == "upload.confirmed" and event["payload"]["sha256"] == value["sha256"])
        need(kind != "seal" or [value[n] for n in ("files", "blobs", "sha256")] == [kinds.count("file"), len(blobs), chain.hex()])
        chain = sha(chain + sha(lines[count + n]))
    for kind, value in (item for item in tail if item[0] in ("proof", "receipt", "seal")): check_signed(kind, value, keys, head)
    right[0] = missing[0][0] - 1 if missing else right[0]  # only what the last trim recorded may be missing
    if missing or trims: need(trims[-1]["removed"]["sha256"] == sha(write(missing).encode()).hex())
    need(not missing or trims[-1]["floor"] >= missing[-1][1])
    counts = (len(missing), "commit"), (sum(last - first + 1 for first, last, _ in missing), "event")
    return " with ".join("%d %s%s" % (n, what, "s"[n == 1:]) for n, what in counts) + " trimmed" if missing else "nothing trimmed"
def verify(data, keys):
    right = [0]
    try:
        if data.startswith(b'{"commit":'): return "whole, " + check_export(data, keys, right)
        ((kind, doc),) = parse(data.decode()).items()
        return check_signed(kind, doc, keys) or "whole"
    except Exception: return "wrong %d" % (right[0] + 1)
if __name__ == "__main__":
    keys = {key["kid"]: key["x"] for key in json.load(open(sys.argv[1]))["keys"]}
    for name in sys.argv[2:]: print(verify(open(name, "rb").read(), keys))
