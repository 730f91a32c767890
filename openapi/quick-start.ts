// The quick start up to a signed delivery, as commands that run in this order in one shell; a test runs them.

import * as sample from '../shared/api/sample-values.ts'
import { SAMPLE_ORIGIN } from './sample-origin.ts'

interface Step {
  title: string
  explanation: string
  command: string
}

const origin = SAMPLE_ORIGIN
const lab = `${origin}/console/laboratory`
const json = "-H 'content-type: application/json'"
const { shop, customer } = sample

/** One field of an answer, without a tool that a machine may lack. */
const readField = (name: string) => `sed 's/.*"${name}":"\\([^"]*\\)".*/\\1/'`

/** The first step runs on the server's machine; the others need only its address. */
export const quickStart: Step[] = [
  {
    title: 'Read the admin token',
    explanation: 'The start stores it in its data folder. It creates instances and is for operators only.',
    command: 'ADMIN=$(cat .data/admin-token)',
  },
  {
    title: 'Create an instance',
    explanation: 'An instance is one linked device. Only this response contains its token.',
    command: `MADE=$(curl -s ${origin}/instance/init -H "admintoken: $ADMIN" ${json} -d '{"name":"Shop"}')
TOKEN=$(echo "$MADE" | ${readField('token')})`,
  },
  {
    title: 'Request a QR code',
    explanation:
      'With the real network: show `pairing.qrcode`, a picture, to the phone, and continue when the phone has scanned it.',
    command: `SHOWN=$(curl -s -X POST ${origin}/instance/connect -H "token: $TOKEN")
QR=$(echo "$SHOWN" | ${readField('qr')})`,
  },
  {
    title: 'Scan it',
    explanation:
      'While the network is simulated, the laboratory has phones: one that scans, and one of a customer.',
    command: `LAB=${lab}
curl -s $LAB/sim/phones -H "admintoken: $ADMIN" -d '{"number":"${shop}","name":"The Shop"}'
curl -s $LAB/sim/phones -H "admintoken: $ADMIN" -d '{"number":"${customer}","name":"Bruno"}'
curl -s $LAB/sim/phones/${shop}/scan -H "admintoken: $ADMIN" -d "{\\"qr\\":\\"$QR\\"}"
until curl -s ${origin}/instance/status -H "token: $TOKEN" | grep -q '"status":"connected"'; do sleep 1; done`,
  },
  {
    title: 'Set where events go',
    explanation:
      'Here events go to the receiver of the laboratory; your own receiver has a public `https` address. The secret signs the deliveries.',
    command: `HOOK=$(curl -s $LAB/receiver -H "admintoken: $ADMIN" | ${readField('url')})
SECRET=whsec_$(head -c 32 /dev/urandom | base64)
curl -s ${origin}/webhook -H "token: $TOKEN" ${json} \\
  -d "{\\"url\\":\\"$HOOK\\",\\"events\\":\\"all\\",\\"secret\\":\\"$SECRET\\"}"
curl -s -X POST ${origin}/webhook/test -H "token: $TOKEN"`,
  },
  {
    title: 'Send a text',
    explanation:
      'The same key never sends twice: after a 504, repeat the request with the key, and the response is the outcome of the first.',
    command: `curl -s ${origin}/send/text -H "token: $TOKEN" -H 'Idempotency-Key: order-7' ${json} \\
  -d '{"number":"${customer}","text":"Your order 7 is on its way."}'`,
  },
  {
    title: 'Receive a text',
    explanation:
      'The customer writes back. The gateway stores every event, and posts it to the receiver until it responds with 2xx.',
    command: `curl -s $LAB/sim/messages -H "admintoken: $ADMIN" \\
  -d '{"from":"${customer}","to":"${shop}","text":"Thank you!"}'
until curl -s "${origin}/v1/events?status=delivered" -H "token: $TOKEN" | grep -q 'Thank you!'; do sleep 1; done
curl -s ${origin}/chat/find -X POST -H "token: $TOKEN"`,
  },
]
