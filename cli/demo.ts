// `npm run demo`: shows what a gateway does, step by step; the last step is a delivery with a forged signature.

import type { InstanceClient } from '@msgnet/client/client.ts'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import qrcode from 'qrcode'
import { type DemoGateway, findGateway } from './demo/demo-gateway.ts'
import { DemoReceiver } from './demo/demo-receiver.ts'
import { printDetail, printHeading, printNote, printStep } from './demo/print-demo.ts'

const EVENTS = ['connection', 'messages', 'messages_update']

const createNumber = (tail: string) => `55119${tail}${String(Date.now()).slice(-6)}`

async function runDemo(): Promise<void> {
  printHeading('msgnet gateway: a device is linked, sends and receives, and its webhooks are verified')
  const gateway = await findGateway(process.env)
  printNote(
    gateway.isOwn
      ? 'No gateway is running here, so the demo has started one of its own.'
      : `Using ${gateway.baseUrl}`,
  )
  const receiver = await DemoReceiver.open(gateway.allowlist)
  let device: InstanceClient | undefined
  try {
    device = await createInstance(gateway)
    await subscribe(device, receiver)
    const phone = await linkPhone(gateway, device, receiver)
    const friend = await receiveMessage(gateway, receiver, phone)
    const messageid = await sendMessage(gateway, device, friend)
    await receiveReadReceipt(gateway, receiver, friend, messageid)
    checkForgery(receiver)
  } finally {
    await device?.delete()
    await receiver.close()
    await gateway.stopGateway()
  }
  printHeading('The end: everything above ran on real parts')
}

async function createInstance({ admin }: DemoGateway): Promise<InstanceClient> {
  printStep('POST /instance/init: a new instance')
  const { instance } = await admin.instances.create({ name: 'Demo' })
  printDetail(`id ${instance.id}`)
  printDetail(`token ${instance.token.slice(0, 8)}… is shown only once; only its SHA-256 is stored`)
  return admin.instance(instance.token)
}

async function subscribe(device: InstanceClient, { url, secret }: DemoReceiver): Promise<void> {
  printStep('POST /webhook: signed events, sent to a receiver in this terminal')
  await device.webhook.save({ url, events: EVENTS, secret })
  printDetail(url)
}

/** Returns the number of the phone. */
async function linkPhone(
  gateway: DemoGateway,
  device: InstanceClient,
  receiver: DemoReceiver,
): Promise<string> {
  printStep('POST /instance/connect: the network sends a QR code')
  const { pairing } = await device.connect()
  if (pairing?.method !== 'qr') throw new OperatorError('connect did not return a QR code.')
  console.log(
    await qrcode.toString(pairing.qr, {
      type: 'terminal',
      small: true,
      margin: 1,
      errorCorrectionLevel: 'L',
    }),
  )
  printDetail(`valid until ${pairing.expiresAt}`)

  printStep('The phone of the simulated network scans it')
  const phone = createNumber('10')
  await gateway.callSimulator('POST', '/phones', { number: phone, name: 'Ana' })
  await gateway.callSimulator('POST', `/phones/${phone}/scan`, { qr: pairing.qr })
  const linked = await receiver.waitForEvent('connection', (event) => event.instance.status === 'connected')
  printDetail(`webhook connection, signature verified: ${linked.instance.status}`)
  const status = await device.status()
  printDetail(`GET /instance/status: loggedIn ${status.loggedIn}, jid ${status.jid}`)
  return phone
}

/** Returns the number of the friend. */
async function receiveMessage(gateway: DemoGateway, receiver: DemoReceiver, phone: string): Promise<string> {
  printStep('A friend writes to the account')
  const friend = createNumber('20')
  await gateway.callSimulator('POST', '/phones', { number: friend, name: 'Bruno' })
  const message = { from: friend, to: phone, text: 'Oi! Is the gateway up?' }
  await gateway.callSimulator('POST', '/messages', message)
  const received = await receiver.waitForEvent('messages')
  printDetail(`webhook messages, signature verified: “${received.message.text}”`)
  return friend
}

/** Returns the id of the message. */
async function sendMessage(gateway: DemoGateway, device: InstanceClient, friend: string): Promise<string> {
  printStep('POST /send/text: the reply, end-to-end encrypted by the real driver')
  const sent = await device.sendText({ number: friend, text: 'It is. And it forgets nothing.' })
  printDetail(`messageid ${sent.messageid}, status ${sent.status}`)
  const { messages } = await gateway.callSimulator('GET', `/phones/${friend}/inbox`)
  printDetail(`the friend’s phone decrypted: “${messages.at(-1).text}”`)
  return sent.messageid
}

async function receiveReadReceipt(
  gateway: DemoGateway,
  receiver: DemoReceiver,
  friend: string,
  messageid: string,
): Promise<void> {
  printStep('The friend reads it')
  await gateway.callSimulator('POST', `/messages/${messageid}/receipt`, { by: friend, type: 'read' })
  const read = await receiver.waitForEvent('messages_update', ({ state }) => state === 'Read')
  const ids = JSON.stringify(read.event.MessageIDs)
  printDetail(`webhook messages_update, signature verified: ${read.state} ${ids}`)
}

function checkForgery(receiver: DemoReceiver): void {
  printStep('A forged delivery is refused by the same check')
  printDetail(
    receiver.rejectsForgery() ? 'one byte was changed: the signature is not valid' : 'IT WAS ACCEPTED',
  )
  printNote(`${receiver.count} deliveries, each with a valid signature (Standard Webhooks 1.0).`)
}

try {
  await runDemo()
} catch (error) {
  console.error(error instanceof OperatorError ? `\n${error.message}` : error)
  process.exitCode = 1
}
