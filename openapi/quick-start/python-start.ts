// The quick start in Python, with its standard library.

import { customer, shop } from '@msgnet/shared/api/sample-values.ts'
import { verificationSamples } from '@msgnet/shared/verification-samples.ts'
import { SAMPLE_ORIGIN } from '../sample-origin.ts'
import type { Steps } from './start-steps.ts'

export const pythonSteps: Steps = {
  prepare: `import base64, json, secrets, time, urllib.request

ORIGIN = "${SAMPLE_ORIGIN}"
admin = {"admintoken": open(".data/admin-token").read().strip()}


def call(method, path, headers, body=None):
    data = None if body is None else json.dumps(body).encode()
    kind = {} if body is None else {"content-type": "application/json"}
    request = urllib.request.Request(ORIGIN + path, data, {**headers, **kind}, method=method)
    with urllib.request.urlopen(request) as response:
        return json.load(response)

`,
  create: `made = call("POST", "/instance/init", admin, {"name": "Shop"})
auth = {"token": made["instance"]["token"]}
`,
  connect: `shown = call("POST", "/instance/connect", auth)
qr = shown["pairing"]["qr"]
`,
  scan: `SIMULATION = "/console/laboratory"
call("POST", SIMULATION + "/sim/phones", admin, {"number": "${shop}", "name": "The Shop"})
call("POST", SIMULATION + "/sim/phones", admin, {"number": "${customer}", "name": "Bruno"})
call("POST", SIMULATION + "/sim/phones/${shop}/scan", admin, {"qr": qr})
while call("GET", "/instance/status", auth)["instance"]["status"] != "connected":
    time.sleep(1)
`,
  webhook: `url = call("GET", SIMULATION + "/receiver", admin)["url"]
secret = "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()
call("POST", "/webhook", auth, {"url": url, "events": "all", "secret": secret})
print(call("POST", "/webhook/test", auth))
`,
  verify: `${verificationSamples.Python}

last = call("GET", SIMULATION + "/receiver/test", admin)
body = base64.b64decode(last["body"])
if not is_genuine(secret, last["headers"], body):
    raise SystemExit("The delivery is not genuine.")
print("genuine:", json.loads(body))
`,
  send: `sent = call(
    "POST",
    "/send/text",
    {**auth, "idempotency-key": "order-7"},
    {"number": "${customer}", "text": "Your order 7 is on its way."},
)
print(sent["messageid"], sent["status"])
`,
  receive: `call(
    "POST",
    SIMULATION + "/sim/messages",
    admin,
    {"from": "${customer}", "to": "${shop}", "text": "Thank you!"},
)
while "Thank you!" not in json.dumps(call("GET", "/v1/events?status=delivered", auth)):
    time.sleep(1)
print(call("POST", "/chat/find", auth))
`,
}
