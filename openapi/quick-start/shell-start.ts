// The quick start in a shell, with curl and openssl.

import { customer, shop } from '@msgnet/shared/api/sample-values.ts'
import { SAMPLE_ORIGIN } from '../sample-origin.ts'
import type { Steps } from './start-steps.ts'

const json = "-H 'content-type: application/json'"

/** One field of a response, without a tool that a machine may lack. */
const readField = (name: string) => `sed 's/.*"${name}":"\\([^"]*\\)".*/\\1/'`

export const shellSteps: Steps = {
  prepare: `ORIGIN=${SAMPLE_ORIGIN}
ADMIN=$(cat .data/admin-token)
`,
  create: `MADE=$(curl -s $ORIGIN/instance/init -H "admintoken: $ADMIN" ${json} -d '{"name":"Shop"}')
TOKEN=$(echo "$MADE" | ${readField('token')})
`,
  connect: `SHOWN=$(curl -s -X POST $ORIGIN/instance/connect -H "token: $TOKEN")
QR=$(echo "$SHOWN" | ${readField('qr')})
`,
  scan: `SIMULATION=$ORIGIN/console/laboratory
curl -s $SIMULATION/sim/phones -H "admintoken: $ADMIN" -d '{"number":"${shop}","name":"The Shop"}'
curl -s $SIMULATION/sim/phones -H "admintoken: $ADMIN" -d '{"number":"${customer}","name":"Bruno"}'
curl -s $SIMULATION/sim/phones/${shop}/scan -H "admintoken: $ADMIN" -d "{\\"qr\\":\\"$QR\\"}"
until curl -s $ORIGIN/instance/status -H "token: $TOKEN" | grep -q '"status":"connected"'; do sleep 1; done
`,
  webhook: `HOOK=$(curl -s $SIMULATION/receiver -H "admintoken: $ADMIN" | ${readField('url')})
SECRET=whsec_$(head -c 32 /dev/urandom | base64)
curl -s $ORIGIN/webhook -H "token: $TOKEN" ${json} \\
  -d "{\\"url\\":\\"$HOOK\\",\\"events\\":\\"all\\",\\"secret\\":\\"$SECRET\\"}"
curl -s -X POST $ORIGIN/webhook/test -H "token: $TOKEN"
`,
  verify: `LAST=$(curl -s $SIMULATION/receiver/test -H "admintoken: $ADMIN")
ID=$(echo "$LAST" | ${readField('webhook-id')})
TIME=$(echo "$LAST" | ${readField('webhook-timestamp')})
SIGNATURES=$(echo "$LAST" | ${readField('webhook-signature')})
echo "$LAST" | ${readField('body')} | base64 -d > body.json

KEY=$(echo "\${SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \\n')
MAC=$({ printf '%s.%s.' "$ID" "$TIME"; cat body.json; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | base64)
case " $SIGNATURES " in *" v1,$MAC "*) echo "genuine: $(cat body.json)" ;; *) exit 1 ;; esac
`,
  send: `curl -s $ORIGIN/send/text -H "token: $TOKEN" -H 'Idempotency-Key: order-7' ${json} \\
  -d '{"number":"${customer}","text":"Your order 7 is on its way."}'
`,
  receive: `curl -s $SIMULATION/sim/messages -H "admintoken: $ADMIN" \\
  -d '{"from":"${customer}","to":"${shop}","text":"Thank you!"}'
until curl -s "$ORIGIN/v1/events?status=delivered" -H "token: $TOKEN" | grep -q 'Thank you!'; do sleep 1; done
curl -s $ORIGIN/chat/find -X POST -H "token: $TOKEN"
`,
}
