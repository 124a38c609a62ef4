# The same in Python: says hello, and answers each line with a short text.
import json
import sys

name = sys.argv[1] if len(sys.argv) > 1 else "warm"
hello = {"jsonrpc": "2.0", "method": "orla.hello", "params": {"name": name, "version": "1.0.0"}}
print(json.dumps(hello), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "tools/call":
        result = {"content": [{"type": "text", "text": "ok"}]}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
