// The bridge to Chatwoot between a gateway and the stand-in, with a contact who writes: what both sides see of it.

import sharp from 'sharp'
import type { BridgeOptions, BridgeStage, RunningBridge } from './bridge-programs.ts'
import type { ChatwootMessage } from './chatwoot-records.ts'
import { ChatwootServer } from './chatwoot-server.ts'
import { createPhone } from './device.ts'
import { until } from './until.ts'

export interface ChatwootBridge extends RunningBridge {
  server: ChatwootServer
  /** The first message in Chatwoot that fits, waited for. */
  findOne(matches: (message: ChatwootMessage) => boolean, within?: number): Promise<ChatwootMessage>
  /** The message in Chatwoot that came from this one of the network. */
  waitForSource(source: string, within?: number): Promise<ChatwootMessage>
  waitForStatus(message: ChatwootMessage, status: string): Promise<true>
}

interface Options extends BridgeOptions {
  /** Before the bridge starts. */
  setUp?: (server: ChatwootServer) => void
}

/** Whatever Chatwoot answers is certain at once, unless `env` says otherwise. */
export async function runChatwoot(
  { endings, runBridge }: BridgeStage,
  { env = {}, setUp, ...options }: Options = {},
): Promise<ChatwootBridge> {
  const server = await new ChatwootServer().start()
  setUp?.(server)
  endings.push(() => server.close())
  const all = { CHATWOOT: server.url, ...server.env, UNCERTAIN_SECONDS: '0', ...env }
  const bridge = await runBridge('chatwoot', { ...options, env: all })
  server.callbackUrl = `${bridge.url}/service`
  const findOne: ChatwootBridge['findOne'] = (matches, within = 15_000) =>
    until(() => server.messages.find(matches), { within })
  return {
    ...bridge,
    server,
    findOne,
    waitForSource: (source, within) => findOne(({ source_id }) => source_id === source, within),
    waitForStatus: (message, status) => until(() => message.status === status),
  }
}

/** With Anna, a contact; `write` and `change` are what she does on her phone. */
export async function addContact({ world }: BridgeStage, { device }: RunningBridge, name = 'Anna') {
  const number = await createPhone(world, name)
  return {
    number,
    write: async (body: object) =>
      (await world.sim('POST', '/messages', { from: number, to: device.number, ...body })).id as string,
    change: (id: string, what: string, body: object) =>
      world.sim('POST', `/messages/${id}/${what}`, { by: number, ...body }),
  }
}

export const createPicture = (): Promise<Buffer> =>
  sharp({ create: { width: 8, height: 8, channels: 3, background: 'teal' } })
    .jpeg()
    .toBuffer()
