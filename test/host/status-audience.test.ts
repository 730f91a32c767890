// Who gets a status post: the people whom the phone names, by either of their ids.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findAudience } from '@msgnet/session-host/actions/status-posts.ts'
import type { Connection, Person, StatusAudience } from '@msgnet/session-host/driver/driver.ts'
import type { Session } from '@msgnet/session-host/sessions/host-session.ts'
import { openStore } from '@msgnet/session-host/store/host-store.ts'
import { buildSettingStatements } from '@msgnet/session-host/store/setting-store.ts'
import { PERSON_SUFFIX } from '@msgnet/shared/jid.ts'
import { expect, onTestFinished, test } from 'vitest'

const instance = 'one'
const OWN = '1@lid'
const toPerson = (name: string): Person => ({
  id: name + PERSON_SUFFIX,
  pn: name + PERSON_SUFFIX,
  lid: `${name}0@lid`,
})
const [ANN, BEN] = [toPerson('5511980000001'), toPerson('5511980000002')]
const createDone = <Value>(value: Value) => ({ kind: 'done' as const, value })

/** Of the contacts, whose second ids the account learns only from the network. */
async function listViewers({ to, people }: StatusAudience): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'audience-'))
  const store = await openStore(join(folder, 'host.db'), () => undefined)
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })
  const contacts = [ANN, BEN].map(({ pn }) => ({ id: pn, pn, lid: '' }))
  for (const person of contacts)
    await store.commit(
      buildSettingStatements(store, instance, { kind: 'contact', person, name: person.pn, firstName: '' }),
    )
  const network = {
    settings: { catchUp: async () => createDone(undefined) },
    account: { getStatusAudience: async () => createDone({ to, people }) },
    findKnownIds: async (jid: string) => ({ id: jid, pn: jid, lid: '' }),
    checkNumbers: async (jids: string[]) =>
      createDone(
        [ANN, BEN]
          .filter(({ id }) => jids.includes(id))
          .map((person) => ({ jid: person.id, exists: true, person, verifiedName: '' })),
      ),
  }
  const session = { store, instance, state: { now: { jid: '', lid: OWN } } }
  const found = await findAudience(
    session as unknown as Session,
    network as unknown as Connection,
    new AbortController().signal,
  )
  return found.kind === 'done' ? found.value : []
}

test.each([
  ['number', ({ pn }: Person) => ({ id: pn, pn, lid: '' })],
  ['LID', ({ lid }: Person) => ({ id: lid, pn: '', lid })],
])('a contact whom the phone excludes by %s gets no post', async (_, name) => {
  expect(await listViewers({ to: 'contacts_except', people: [name(ANN)] })).toEqual([BEN.lid, OWN])
  expect(await listViewers({ to: 'only', people: [name(ANN)] })).toEqual([ANN.lid, OWN])
})
