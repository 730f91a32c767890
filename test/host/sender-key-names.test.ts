// A key of a group that any sender may send, under any name: nothing is stored under one that no group has.

import { createLibraryLog } from '@msgnet/session-host/driver/baileys/connection/library-log.ts'
import { Auth } from '@msgnet/session-host/driver/baileys/keys/auth-state.ts'
import { createRatchets } from '@msgnet/session-host/driver/baileys/keys/ratchets.ts'
import { createSilentLog } from '@msgnet/session-host/process/host-log.ts'
import { expect, test } from 'vitest'

test('a key of a group whose name is longer than any group has is refused before anything is stored', async () => {
  const names: string[] = []
  const store = {
    read: async () => new Map(),
    write: async (_: string, changes: { id: string }[]) => void names.push(...changes.map(({ id }) => id)),
    readAll: async () => new Map(),
    deleteLater: async () => undefined,
    deleteAll: async () => undefined,
  }
  const log = createLibraryLog(createSilentLog(), () => undefined)
  const { state } = await Auth.load(store, crypto.randomUUID(), true)
  const { repository } = createRatchets(state.keys, state, log)
  const send = (groupId: string) =>
    repository.processSenderKeyDistributionMessage({
      item: { groupId, axolotlSenderKeyDistributionMessage: new Uint8Array(80).fill(0x33) },
      authorJid: '5511700000001@s.whatsapp.net',
    })
  names.length = 0
  await expect(send(`${'1'.repeat(200_000)}@g.us`)).rejects.toThrow('Invalid group')
  expect(names).toEqual([])
})
