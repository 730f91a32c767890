// What an instance of the same gateway notices of an attack: its sends and what it receives before, during and after each.

import { fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import {
  createDevice,
  createPhone,
  type LinkedDevice,
  linkDevice,
  linkWithPast,
  subscribeReceiver,
} from '../device.ts'
import { createWav } from '../media-files.ts'
import { type Delivery, type Receiver, startReceiver } from '../receiver.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import type { AttackOrder } from './attack-process.ts'
import { type Attack, type AttackStage, attacks } from './attacks.ts'
import { requestFromChild } from './bad-child.ts'
import { computePercentiles } from './load.ts'

const PAST = { chats: 5000, messages: 60_000 }
const LINK_WITHIN_MS = 600_000
const FILE_BYTES = 60_000_000
const PIECE_BYTES = 64 * 1024
const ENDLESS_PATH = '/endless.bin'
const SECONDS = 12
/** A neighbour that sends, and one that receives: one message each so often. */
const EVERY_MS = 100
/** Each takes a conversion. */
const VOICE_EVERY_MS = 1000
const WATCH_MS = 100
/** Waits for what an attack left behind. */
const REST_MS = 3000

interface Stage extends AttackStage {
  receiver: Receiver
  sender: LinkedDevice
  hearer: LinkedDevice
}

/** Milliseconds. */
interface Waits {
  send: number[]
  incoming: number[]
  voice: number[]
}

export interface NeighbourFigures {
  attack: string
  before: Waits
  during: Waits
  after: Waits
  statuses: Record<string, number>
  /** The most that host and edge took during the attack beyond what they had before it, MiB. */
  hostMemory: number
  edgeMemory: number
}

/** `root`: the checkout that is measured. `only`: a part of an attack's name. */
export async function measureNeighbours(
  root: string,
  only: string | undefined,
  note: (text: string) => void,
): Promise<NeighbourFigures[]> {
  const receiver = await startReceiver()
  const file = await serveFile()
  const world = await startWorld(
    { WEBHOOK_ALLOWLIST: `${receiver.place},${file.place}`, LOG_LEVEL: 'warn', MCP: 'write' },
    undefined,
    { root, args: [] },
  )
  try {
    note('an instance with 5,000 chats and 60,000 messages is linked …')
    const stage = await openStage(world, receiver, file)
    await measurePhase(stage, true)
    const figures: NeighbourFigures[] = []
    for (const attack of attacks.filter(({ name }) => name.includes(only ?? ''))) {
      note(`${attack.name} …`)
      figures.push(await measureAttack(stage, attack))
    }
    return figures
  } finally {
    await world.close()
    await receiver.close()
    file.close()
  }
}

export function printNeighbours(figures: NeighbourFigures[]): void {
  console.table(
    figures.flatMap(({ attack, before, during, after, statuses, hostMemory, edgeMemory }) => [
      ...(['send', 'incoming', 'voice'] as const)
        .filter((kind) => before[kind].length > 0)
        .map((kind, at) => ({
          attack: at === 0 ? attack : '',
          'ms, p50 / p99 of': kind,
          before: formatWaits(before[kind]),
          during: formatWaits(during[kind]),
          after: formatWaits(after[kind]),
          'MiB more, host / edge': at === 0 ? `${hostMemory.toFixed(0)} / ${edgeMemory.toFixed(0)}` : '',
          'the attacker got': at === 0 ? formatStatuses(statuses) : '',
        })),
    ]),
  )
}

const formatStatuses = (statuses: Record<string, number>): string =>
  Object.entries(statuses)
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ')

function formatWaits(waits: number[]): string {
  const { p50, p99 } = computePercentiles(waits)
  return `${p50.toFixed(0)} / ${p99.toFixed(0)}`
}

async function openStage(world: World, receiver: Receiver, { url, endlessUrl }: ServedFiles): Promise<Stage> {
  const [sender, hearer] = [
    await linkDevice(world, await createDevice(world, 'Sender')),
    await linkDevice(world, await createDevice(world, 'Hearer')),
  ]
  await subscribeReceiver(hearer, receiver, ['messages'])
  const attacker = await linkWithPast(world, await createDevice(world, 'Attacker'), PAST, LINK_WITHIN_MS)
  await until(
    async () => (await attacker.caller.get('/instance/status')).body.history?.state === 'complete',
    { within: LINK_WITHIN_MS },
  )
  const friend = await createPhone(world, 'Friend')
  // What fills pages of events.
  await world.sim('POST', '/messages', {
    from: friend,
    to: attacker.number,
    text: 'x'.repeat(3000),
    count: 400,
  })
  const sent = await attacker.caller.post('/send/media', {
    number: friend,
    type: 'document',
    file: url,
    docName: 'large.bin',
  })
  const link = await attacker.caller.post('/message/download', { id: sent.body.messageid, return_link: true })
  return {
    world,
    receiver,
    sender,
    hearer,
    attacker,
    friend,
    mediaLink: link.body.fileURL,
    endlessFile: endlessUrl,
  }
}

async function measureAttack(stage: Stage, attack: Attack): Promise<NeighbourFigures> {
  const withVoice = attack.withVoice ?? false
  const before = await measurePhase(stage, withVoice)
  const memory = watchMemory(stage.world)
  const order = { requests: attack.listRequests(stage), atOnce: attack.atOnce, seconds: SECONDS }
  const attacking = runAttack(order)
  const during = await measurePhase(stage, withVoice)
  const statuses = await attacking
  const { hostMemory, edgeMemory } = memory.stop()
  await wait(REST_MS)
  const after = await measurePhase(stage, withVoice)
  return { attack: attack.name, before, during, after, statuses, hostMemory, edgeMemory }
}

async function runAttack(order: AttackOrder): Promise<Record<string, number>> {
  const child = fork(join(import.meta.dirname, 'attack-process.ts'))
  await requestFromChild(child)
  return (await requestFromChild<{ statuses: Record<string, number> }>(child, order)).statuses
}

async function measurePhase(stage: Stage, withVoice: boolean): Promise<Waits> {
  const { sender, friend } = stage
  const number = friend
  const sendText = () => sender.caller.post('/send/text', { number, text: 'a word to the neighbour' })
  const sound = createWav(1).toString('base64')
  const sendVoice = () => sender.caller.post('/send/media', { number, type: 'ptt', file: sound })
  const [send, incoming, voice] = await Promise.all([
    measureEvery(EVERY_MS, () => measureSend(sendText)),
    measureEvery(EVERY_MS, () => receiveMessage(stage)),
    withVoice ? measureEvery(VOICE_EVERY_MS, () => measureSend(sendVoice)) : [],
  ])
  return { send, incoming, voice }
}

/** When it was answered. */
async function measureSend(send: () => Promise<{ status: number; text: string }>): Promise<number> {
  const { status, text } = await send()
  if (status !== 200) throw new Error(`a neighbour's send was answered ${status}: ${text}`)
  return Date.now()
}

let received = 0

/** When the receiver had it. */
async function receiveMessage({ world, receiver, hearer, friend }: Stage): Promise<number> {
  const text = `message ${received++}`
  await world.sim('POST', '/messages', { from: friend, to: hearer.number, text })
  const isIt = ({ body }: Delivery) => body.includes(`"${text}"`)
  const delivery = await until(() => receiver.deliveries.findLast(isIt), { within: 120_000 })
  return delivery.at
}

/** Begins at fixed times, so that what is late delays no other: milliseconds of each, from when it was due. */
async function measureEvery(ms: number, work: () => Promise<number>): Promise<number[]> {
  const began = Date.now()
  const waits = Array.from({ length: (SECONDS * 1000) / ms }, async (_, n) => {
    const due = began + n * ms
    await wait(Math.max(0, due - Date.now()))
    // What fails is late without end: the row shows it, and the other attacks are measured all the same.
    return work().then(
      (at) => at - due,
      () => Number.POSITIVE_INFINITY,
    )
  })
  return Promise.all(waits)
}

/** A process that has ended in the meantime is read under the id of the one that took its place. */
function watchMemory(world: World) {
  const read = () => ({
    hostMemory: readMemory(world, 'session host'),
    edgeMemory: readMemory(world, 'edge'),
  })
  const first = read()
  const peak = { ...first }
  const timer = setInterval(() => {
    const now = read()
    peak.hostMemory = Math.max(peak.hostMemory, now.hostMemory)
    peak.edgeMemory = Math.max(peak.edgeMemory, now.edgeMemory)
  }, WATCH_MS)
  return {
    stop() {
      clearInterval(timer)
      return {
        hostMemory: peak.hostMemory - first.hostMemory,
        edgeMemory: peak.edgeMemory - first.edgeMemory,
      }
    },
  }
}

/** MiB; 0 while the process is started again. */
function readMemory(world: World, part: string): number {
  try {
    const status = readFileSync(`/proc/${world.findPid(part)}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

type ServedFiles = Awaited<ReturnType<typeof serveFile>>

async function serveFile() {
  const bytes = Buffer.alloc(FILE_BYTES, 'a large file ')
  const piece = bytes.subarray(0, PIECE_BYTES)
  const server = createServer(({ url }, response) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream' })
    if (url !== ENDLESS_PATH) return response.end(bytes)
    const writePieces = () => {
      while (!response.destroyed && response.write(piece));
    }
    response.on('drain', writePieces)
    writePieces()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    place,
    url: `http://${place}/large.bin`,
    endlessUrl: `http://${place}${ENDLESS_PATH}`,
    close: () => server.close(),
  }
}
