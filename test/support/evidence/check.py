"""Has docs/examples/verify.py judge many files at once: one JSON document per line comes in, one verdict goes out.

{"path": FILE} is judged as it is; with {"at": PLACE, "bit": NUMBER} after that bit was changed.
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
    asked = json.loads(line)
    with open(asked["path"], "rb") as file:
        data = bytearray(file.read())
    if "at" in asked:
        data[asked["at"]] ^= 1 << asked["bit"]
    print(verify.verify(bytes(data), keys))
