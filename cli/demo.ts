// `npm run demo`: runs one story against a gateway and prints every step; it ends with a verified signature.

import qrcode from 'qrcode'
import { findGateway } from './demo/gateway.ts'
import { detail, heading, note, step } from './demo/print.ts'
import { openReceiver } from './demo/receiver.ts'
import { Complaint } from './settings/settings.ts'

const number = (tail: string) => `55119${tail}${String(Date.now()).slice(-6)}`

async function tell(): Promise<void> {
  heading('msgnet gateway: a device is linked, talks, and its webhooks are verified')
  const gateway = await findGateway(process.env)
  note(
    gateway.own
      ? 'No gateway is running here, so this story has started one of its own.'
      : `Using ${gateway.baseUrl}`,
  )
  const receiver = await openReceiver(gateway.allowlist)
  let leave: () => Promise<unknown> = async () => undefined
  try {
    step('POST /instance/init: a new instance')
    const { instance } = await gateway.admin.instances.create({ name: 'Demo' })
    const device = gateway.admin.instance(instance.token)
    leave = () => device.delete()
    detail(`id ${instance.id}`)
    detail(`token ${instance.token.slice(0, 8)}… is told this once; only its SHA-256 is stored`)

    step('POST /webhook: signed events, sent to a receiver in this terminal')
    const events = ['connection', 'messages', 'messages_update']
    await device.webhook.save({ url: receiver.url, events, secret: receiver.secret })
    detail(receiver.url)

    step('POST /instance/connect: the network hands out a QR code')
    const { pairing } = await device.connect()
    if (pairing?.method !== 'qr') throw new Complaint('connect did not answer with a QR code.')
    console.log(
      await qrcode.toString(pairing.qr, {
        type: 'terminal',
        small: true,
        margin: 1,
        errorCorrectionLevel: 'L',
      }),
    )
    detail(`good until ${pairing.expiresAt}`)

    step('The phone of the simulated network scans it')
    const phone = number('10')
    await gateway.sim('POST', '/phones', { number: phone, name: 'Ana' })
    await gateway.sim('POST', `/phones/${phone}/scan`, { qr: pairing.qr })
    const linked = await receiver.next('connection', (event) => event.instance.status === 'connected')
    detail(`webhook connection, signature verified: ${linked.instance.status}`)
    const status = await device.status()
    detail(`GET /instance/status: loggedIn ${status.loggedIn}, jid ${status.jid}`)

    step('A friend writes to the account')
    const friend = number('20')
    await gateway.sim('POST', '/phones', { number: friend, name: 'Bruno' })
    await gateway.sim('POST', '/messages', { from: friend, to: phone, text: 'Oi! Is the gateway up?' })
    const arrived = await receiver.next('messages')
    detail(`webhook messages, signature verified: “${arrived.message.text}”`)

    step('POST /send/text: the answer, end-to-end encrypted by the real driver')
    const sent = await device.sendText({ number: friend, text: 'It is. And it forgets nothing.' })
    detail(`messageid ${sent.messageid}, status ${sent.status}`)
    const { messages } = await gateway.sim('GET', `/phones/${friend}/inbox`)
    detail(`the friend’s phone decrypted: “${messages.at(-1).text}”`)

    step('The friend reads it')
    await gateway.sim('POST', `/messages/${sent.messageid}/receipt`, { by: friend, type: 'read' })
    const read = await receiver.next('messages_update', ({ state }) => state === 'Read')
    detail(
      `webhook messages_update, signature verified: ${read.state} ${JSON.stringify(read.event.MessageIDs)}`,
    )

    step('A forged delivery is refused by the same check')
    detail(
      receiver.refusesForgery() ? 'one changed byte and the signature no longer fits' : 'IT WAS ACCEPTED',
    )
    note(`${receiver.count} deliveries, each with a valid signature (Standard Webhooks 1.0).`)
  } finally {
    await leave()
    await receiver.close()
    await gateway.leave()
  }
  heading('The end: everything above ran on real parts')
}

try {
  await tell()
} catch (error) {
  console.error(error instanceof Complaint ? `\n${error.message}` : error)
  process.exitCode = 1
}
