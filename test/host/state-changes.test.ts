// Changes of a session's state that are made at the same time: none undoes another.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Outbox } from '@msgnet/session-host/reports/outbox.ts'
import { StoredState } from '@msgnet/session-host/sessions/stored-state.ts'
import { openStore } from '@msgnet/session-host/store/host-store.ts'
import { expect, onTestFinished, test } from 'vitest'

const row: ConstructorParameters<typeof StoredState>[2] = {
  instance: crypto.randomUUID(),
  holder: '',
  kind: 'msgnet',
  epoch: 1,
  rev: 0,
  wanted: true,
  status: 'connected',
  jid: '5511900000000@s.msgnet.net',
  lid: '',
  profileName: '',
  lastDisconnect: 0,
  lastDisconnectReason: '',
  proxy: null,
  history: null,
  coverage: null,
  online: false,
}

test('that an account shows itself as online stays known when its state changes meanwhile', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'state-'))
  const store = await openStore(join(folder, 'host.db'), () => undefined)
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })
  const commits: (() => void)[] = []
  const outbox = {
    commit: () => new Promise<void>((resolve) => void commits.push(resolve)),
  } as unknown as Outbox
  const state = new StoredState(store, outbox, row)
  const changed = state.change({ profileName: 'Anna' })
  const shown = state.storeOnline(true)
  for (const finish of commits) finish()
  await Promise.all([changed, shown])
  expect([state.row.online, state.row.profileName]).toEqual([true, 'Anna'])
})
