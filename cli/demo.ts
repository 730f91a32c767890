// `npm run demo`: runs one story against a gateway and prints every step; it ends with a verified signature.

import qrcode from 'qrcode'
import { findGateway } from './demo/demo-gateway.ts'
import { openReceiver } from './demo/demo-receiver.ts'
import { printDetail, printHeading, printNote, printStep } from './demo/print-demo.ts'
import { OperatorError } from './settings/gateway-settings.ts'

const createNumber = (tail: string) => `55119${tail}${String(Date.now()).slice(-6)}`

async function runDemo(): Promise<void> {
  printHeading('msgnet gateway: a device is linked, talks, and its webhooks are verified')
  const gateway = await findGateway(process.env)
  printNote(
    gateway.isOwn
      ? 'No gateway is running here, so this story has started one of its own.'
      : `Using ${gateway.baseUrl}`,
  )
  const receiver = await openReceiver(gateway.allowlist)
  let deleteInstance: () => Promise<unknown> = async () => undefined
  try {
    printStep('POST /instance/init: a new instance')
    const { instance } = await gateway.admin.instances.create({ name: 'Demo' })
    const device = gateway.admin.instance(instance.token)
    deleteInstance = () => device.delete()
    printDetail(`id ${instance.id}`)
    printDetail(`token ${instance.token.slice(0, 8)}… is told this once; only its SHA-256 is stored`)

    printStep('POST /webhook: signed events, sent to a receiver in this terminal')
    const events = ['connection', 'messages', 'messages_update']
    await device.webhook.save({ url: receiver.url, events, secret: receiver.secret })
    printDetail(receiver.url)

    printStep('POST /instance/connect: the network hands out a QR code')
    const { pairing } = await device.connect()
    if (pairing?.method !== 'qr') throw new OperatorError('connect did not answer with a QR code.')
    console.log(
      await qrcode.toString(pairing.qr, {
        type: 'terminal',
        small: true,
        margin: 1,
        errorCorrectionLevel: 'L',
      }),
    )
    printDetail(`good until ${pairing.expiresAt}`)

    printStep('The phone of the simulated network scans it')
    const phone = createNumber('10')
    await gateway.callSimulator('POST', '/phones', { number: phone, name: 'Ana' })
    await gateway.callSimulator('POST', `/phones/${phone}/scan`, { qr: pairing.qr })
    const linked = await receiver.waitForEvent('connection', (event) => event.instance.status === 'connected')
    printDetail(`webhook connection, signature verified: ${linked.instance.status}`)
    const status = await device.status()
    printDetail(`GET /instance/status: loggedIn ${status.loggedIn}, jid ${status.jid}`)

    printStep('A friend writes to the account')
    const friend = createNumber('20')
    await gateway.callSimulator('POST', '/phones', { number: friend, name: 'Bruno' })
    await gateway.callSimulator('POST', '/messages', {
      from: friend,
      to: phone,
      text: 'Oi! Is the gateway up?',
    })
    const arrived = await receiver.waitForEvent('messages')
    printDetail(`webhook messages, signature verified: “${arrived.message.text}”`)

    printStep('POST /send/text: the answer, end-to-end encrypted by the real driver')
    const sent = await device.sendText({ number: friend, text: 'It is. And it forgets nothing.' })
    printDetail(`messageid ${sent.messageid}, status ${sent.status}`)
    const { messages } = await gateway.callSimulator('GET', `/phones/${friend}/inbox`)
    printDetail(`the friend’s phone decrypted: “${messages.at(-1).text}”`)

    printStep('The friend reads it')
    await gateway.callSimulator('POST', `/messages/${sent.messageid}/receipt`, { by: friend, type: 'read' })
    const read = await receiver.waitForEvent('messages_update', ({ state }) => state === 'Read')
    printDetail(
      `webhook messages_update, signature verified: ${read.state} ${JSON.stringify(read.event.MessageIDs)}`,
    )

    printStep('A forged delivery is refused by the same check')
    printDetail(
      receiver.rejectsForgery() ? 'one changed byte and the signature no longer fits' : 'IT WAS ACCEPTED',
    )
    printNote(`${receiver.count} deliveries, each with a valid signature (Standard Webhooks 1.0).`)
  } finally {
    await deleteInstance()
    await receiver.close()
    await gateway.stopGateway()
  }
  printHeading('The end: everything above ran on real parts')
}

try {
  await runDemo()
} catch (error) {
  console.error(error instanceof OperatorError ? `\n${error.message}` : error)
  process.exitCode = 1
}
