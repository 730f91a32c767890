// Instances for tests: made, given a webhook, linked to a phone of the simulated network.

import type { Caller } from './caller.ts'
import type { Receiver } from './receiver.ts'
import { until } from './until.ts'
import type { SharedWorld } from './world.ts'

export interface Device {
  id: string
  token: string
  caller: Caller
}

export interface LinkedDevice extends Device {
  /** Digits of the account. */
  number: string
}

export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

/** Files that share a world may run in different processes, each of which has its own ten thousand. */
const worker = Number(process.env.VITEST_WORKER_ID ?? 0) % 1000
let made = 0
/** A number that no other test of this world has. */
export const createNumber = (): string => `55119${String(10_000_000 + worker * 10_000 + made++)}`

export async function createDevice(
  world: SharedWorld,
  name = 'Test',
  kind: 'msgnet' | 'calls' = 'msgnet',
): Promise<Device> {
  const response = await world.admin.post('/instance/init', { name, kind })
  if (response.status !== 200) throw new Error(`init answered ${response.status}: ${response.text}`)
  const { id, token } = response.body.instance
  return { id, token, caller: world.callAs(token) }
}

export async function subscribeReceiver(
  device: Device,
  receiver: Receiver,
  events: string | string[] = 'all',
): Promise<void> {
  const response = await device.caller.post('/webhook', { url: receiver.url, events, secret: SECRET })
  if (response.status !== 200) throw new Error(`webhook answered ${response.status}: ${response.text}`)
}

/** A phone of the simulated network; answers its number. */
export async function createPhone(world: SharedWorld, name = 'Somebody', wish: object = {}): Promise<string> {
  const number = createNumber()
  await world.sim('POST', '/phones', { number, name, ...wish })
  return number
}

/** A phone that sends no receipts unless a test makes it. */
export const createQuietPhone = (world: SharedWorld): Promise<string> =>
  createPhone(world, 'Somebody quiet', { autoReceipt: false })

/** `within` in milliseconds, for tests that link so many devices at once that each has to wait for the others. */
export const linkDevice = (world: SharedWorld, device: Device, within?: number): Promise<LinkedDevice> =>
  linkWithPast(world, device, undefined, within)

/** The phone has this past, all of which it is asked for unless `asked` is `recent`. */
export async function linkWithPast(
  world: SharedWorld,
  device: Device,
  past?: { chats: number; messages: number; groups?: number; days?: number },
  within?: number,
  asked: 'recent' | 'full' = 'full',
): Promise<LinkedDevice> {
  const number = await createPhone(world, 'Owner')
  if (past) await world.sim('POST', `/phones/${number}/past`, past)
  const response = await device.caller.post('/instance/connect', past && { history: asked })
  if (response.status !== 200) throw new Error(`connect answered ${response.status}: ${response.text}`)
  const qr = await until(async () => {
    const status = await device.caller.get('/instance/status')
    if (status.body.pairing?.qr) return status.body.pairing.qr
    throw new Error(`no QR code, but ${status.status}: ${status.text}`)
  })
  await world.sim('POST', `/phones/${number}/scan`, { qr })
  await waitUntilConnected(device, within)
  return { ...device, number }
}

/**
 * As its owner would link it: asked for anew where the pairing has ended. It does not outlive a lease, and a short one may end while
 * the machine is busy.
 */
export async function linkUnguarded(
  world: SharedWorld,
  device: Device,
  within: number,
): Promise<LinkedDevice> {
  const number = await createPhone(world, 'Owner')
  const scanned = new Set<string>()
  await until(
    async () => {
      const { loggedIn, instance, pairing } = (await device.caller.get('/instance/status')).body
      if (loggedIn && instance.status === 'connected') return true
      if (instance.status === 'disconnected') await device.caller.post('/instance/connect')
      if (!pairing?.qr || scanned.has(pairing.qr)) return false
      scanned.add(pairing.qr)
      await world.sim('POST', `/phones/${number}/scan`, { qr: pairing.qr })
      return false
    },
    { within },
  )
  return { ...device, number }
}

export const waitUntilConnected = (device: Device, within?: number): Promise<unknown> =>
  until(
    async () => {
      const { body } = await device.caller.get('/instance/status')
      return body.loggedIn && body.instance.status === 'connected'
    },
    { ...(within && { within }) },
  )

/** After a kill, until the host reports, the status is the previous one: its acts show whether it is back. */
export const waitUntilReachable = (device: Device): Promise<unknown> =>
  until(async () => (await device.caller.post('/chat/check', { numbers: ['5511900000000'] })).status === 200)
