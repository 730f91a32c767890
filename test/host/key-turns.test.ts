// The keys of a thousand devices of one session do not hold up the other sessions of a host.

import { setImmediate as waitForLoop } from 'node:timers/promises'
import { createLibraryLog } from '@msgnet/session-host/driver/baileys/connection/library-log.ts'
import { Auth } from '@msgnet/session-host/driver/baileys/keys/auth-state.ts'
import { createRatchets } from '@msgnet/session-host/driver/baileys/keys/ratchets.ts'
import { createSilentLog } from '@msgnet/session-host/process/host-log.ts'
import type { CredentialStore } from '@msgnet/session-host/store/credential-store.ts'
import { expect, test } from 'vitest'
import { createSignalDevice } from './signal-device.ts'

const DEVICES = 64
const MOST_IN_A_TURN = 8
const data = Buffer.from('the key of the group')

/** Of one instance. */
function createMemoryStore(): CredentialStore {
  const stored = new Map<string, Uint8Array<ArrayBuffer>>()
  return {
    async read(_, kind, ids) {
      const found = ids.map((id) => [id, stored.get(`${kind} ${id}`)] as const)
      return new Map(found.filter((pair): pair is [string, Uint8Array<ArrayBuffer>] => pair[1] !== undefined))
    },
    async write(_, changes) {
      for (const { kind, id, value } of changes)
        if (value) stored.set(`${kind} ${id}`, value)
        else stored.delete(`${kind} ${id}`)
    },
    readAll: async () => new Map(),
    deleteLater: async () => undefined,
    deleteAll: async () => stored.clear(),
  }
}

/** The keys of a new session on the network. */
async function createSession() {
  const log = createLibraryLog(createSilentLog(), () => undefined)
  const { state } = await Auth.load(createMemoryStore(), crypto.randomUUID(), true)
  return createRatchets(state.keys, state, log).repository
}

const jids = Array.from({ length: DEVICES }, (_, n) => `${5511700000000 + n}@s.whatsapp.net`)

/** Counts the turns of the event loop until `end` is called. */
function countTurns() {
  let turn = 0
  let isCounting = true
  const count = async () => {
    for (; isCounting; turn += 1) await waitForLoop()
  }
  void count()
  return {
    get now() {
      return turn
    },
    end() {
      isCounting = false
    },
  }
}

const countMost = (turns: number[]) =>
  Math.max(...turns.map((one) => turns.filter((other) => other === one).length))

test('the sessions with the devices of a group are begun, looked up and encrypted for a few in a turn of the event loop', async () => {
  const repository = await createSession()
  const turns = countTurns()
  for (const work of [
    (jid: string) => repository.injectE2ESession({ jid, session: createSignalDevice().bundle }),
    (jid: string) => repository.validateSession(jid),
    (jid: string) => repository.encryptMessage({ jid, data }),
  ]) {
    const ends = jids.map(async (jid) => {
      await work(jid)
      return turns.now
    })
    expect(countMost(await Promise.all(ends))).toBeLessThanOrEqual(MOST_IN_A_TURN)
  }
  turns.end()
})

test('a session that encrypts for one device does not wait for those of another session', async () => {
  const [busy, neighbour] = [await createSession(), await createSession()]
  await neighbour.injectE2ESession({ jid: jids[0] ?? '', session: createSignalDevice().bundle })
  for (const jid of jids) await busy.injectE2ESession({ jid, session: createSignalDevice().bundle })
  const order: string[] = []
  const all = jids.map(async (jid) => {
    await busy.encryptMessage({ jid, data })
    order.push('busy')
  })
  await neighbour.encryptMessage({ jid: jids[0] ?? '', data })
  order.push('neighbour')
  await Promise.all(all)
  expect(order.indexOf('neighbour')).toBeLessThanOrEqual(MOST_IN_A_TURN)
})
