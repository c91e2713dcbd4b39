"""Verifies many files with docs/examples/verify.py: reads one JSON document per line and prints one result each.

{"path": FILE} is verified unchanged. With {"at": OFFSET, "bit": NUMBER} that bit is flipped first.
"""

import importlib.util
import json
import sys

spec = importlib.util.spec_from_file_location("verify", sys.argv[1])
verify = importlib.util.module_from_spec(spec)
spec.loader.exec_module(verify)

with open(sys.argv[2], encoding="utf-8") as file:
    keys = {key["kid"]: key["x"] for key in json.load(file)["keys"]}

for line in sys.stdin:
    request = json.loads(line)
    with open(request["path"], "rb") as file:
        data = bytearray(file.read())
    if "at" in request:
        data[request["at"]] ^= 1 << request["bit"]
    print(verify.verify(bytes(data), keys))
