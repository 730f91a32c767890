// Two links of one host at once, at the object that has them.

import { HostLink } from '@msgnet/edge/hosts/host-link.ts'
import { ObjectRegistry } from '@msgnet/edge/node/process-objects.ts'
import { type HostSocket, SOCKET_OPEN } from '@msgnet/edge/runtime/runtime.ts'
import { WIRE_VERSION } from '@msgnet/shared/wire/link-frames.ts'
import { expect, onTestFinished, test } from 'vitest'
import { openEdgeFile } from '../engines/edge-file.ts'

const HOST = 'host-1'

class FakeSocket implements HostSocket {
  readyState = SOCKET_OPEN
  readonly frames: string[] = []
  #attachment: unknown

  send(text: string): void {
    this.frames.push(text)
  }

  close(): void {
    this.readyState = SOCKET_OPEN + 1
  }

  serializeAttachment(value: unknown): void {
    this.#attachment = value
  }

  deserializeAttachment(): unknown {
    return this.#attachment
  }
}

test('of two links of one host that say hello at one moment one stays open, and is welcomed', async () => {
  const { database } = await openEdgeFile()
  const host = `insert into hosts (id, region, token_hash, created_at) values ('${HOST}', 'here', 'hash', 0)`
  await database.write([{ sql: host, args: [] }])
  const env = { LOG_LEVEL: 'error', runtime: { openDatabase: () => database } }
  const links = new ObjectRegistry(env, (state) => new HostLink(state, env as never))
  onTestFinished(() => links.stopAlarms())
  const { object, sockets } = links.getOrCreate(HOST)
  const both = [new FakeSocket(), new FakeSocket()]
  for (const socket of both) {
    sockets.add(socket)
    await object.socketOpened(socket, HOST, 'hash')
  }
  const createHello = () => ({
    t: 'hello',
    wire: WIRE_VERSION,
    boot: crypto.randomUUID(),
    store: crypto.randomUUID(),
    slots: 1,
    sessions: [],
  })
  await Promise.all(both.map((socket) => object.socketMessage(socket, JSON.stringify([createHello()]))))
  const open = both.filter(({ readyState }) => readyState === SOCKET_OPEN)
  expect(open.map(({ frames }) => frames.length)).toEqual([1])
  expect(open[0]?.frames[0]).toContain('"t":"welcome"')
})
