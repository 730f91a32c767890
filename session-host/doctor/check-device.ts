// Checks a linked device by the host's own store, which is only read: its keys, its lists, and what it knows of others.

import { DatabaseSync } from 'node:sqlite'
import { createSealer, type Sealer } from '@msgnet/shared/seal.ts'
import { type Finding, fail, ok, warn } from './doctor-finding.ts'

/** Below this the library is about to make new ones; below the other it does not do so. */
const PRE_KEYS = { warn: 10 }
const LINK_AGAIN = 'Link the device again.'

interface Row {
  id: string
  value: Uint8Array<ArrayBuffer>
}

/** `proxy` is the URL of the instance's proxy; empty for none. */
export async function readDevice(file: string, sealKeys: string, instance: string) {
  const store = new DatabaseSync(file, { readOnly: true })
  try {
    const session = store
      .prepare('SELECT status, jid, last_disconnect_reason AS reason, proxy FROM sessions WHERE instance = ?')
      .get(instance)
    if (!session) {
      const findings = [
        fail(
          'device',
          `this store has no instance ${instance}`,
          'Find the host that has it: GET /v1/instances/{id}',
        ),
      ]
      return { findings, proxy: '' }
    }
    const proxy = await openProxy(session.proxy, sealKeys, instance)
    return { findings: await checkKeys(store, sealKeys, instance, session), proxy }
  } finally {
    store.close()
  }
}

async function openProxy(sealed: unknown, sealKeys: string, instance: string): Promise<string> {
  if (!(sealed instanceof Uint8Array)) return ''
  const sealer = await createSealer(sealKeys, 'host/proxy')
  return Buffer.from(await sealer.open(new Uint8Array(sealed), `proxy:${instance}`)).toString()
}

async function checkKeys(
  store: DatabaseSync,
  sealKeys: string,
  instance: string,
  session: Record<string, unknown>,
): Promise<Finding[]> {
  const sealer = await createSealer(sealKeys, 'host/credential')
  const countKeys = (kind: string) =>
    Number(
      store
        .prepare('SELECT count(*) AS n FROM credentials WHERE instance = ? AND kind = ?')
        .get(instance, kind)?.n,
    )
  const readKeys = (kind: string) =>
    store
      .prepare('SELECT id, value FROM credentials WHERE instance = ? AND kind = ?')
      .all(instance, kind) as unknown as Row[]
  const openKey = ({ id, value }: Row, kind: string) => openValue(sealer, instance, kind, id, value)
  const [creds] = readKeys('creds')
  if (!creds) return [fail('device', 'it has no credential', LINK_AGAIN)]
  const read = await openKey(creds, 'creds').catch(() => undefined)
  if (!read)
    return [
      fail('device', 'its credential does not open', 'Give the host the HOST_SEAL_KEYS that sealed it.'),
    ]
  if (!read.account) return [fail('device', 'its pairing was never completed', LINK_AGAIN)]
  const { id = '', lid = '' } = (read.me ?? {}) as { id?: string; lid?: string }
  const versions = await Promise.all(
    readKeys('app-state-sync-version').map(
      async (row) => `${row.id} ${(await openKey(row, 'app-state-sync-version')).version}`,
    ),
  )
  const own = await listOwnDevices(readKeys('device-list'), (row) => openKey(row, 'device-list'), [id, lid])
  return [
    session.status === 'connected'
      ? ok('device', `connected as device ${readDeviceNumber(id)}${lid ? ', with a LID' : ', without a LID'}`)
      : warn(
          'device',
          `${session.status}${session.reason ? `: ${session.reason}` : ''}`,
          'The page on reasons says what it means: docs/run/live-network.md',
        ),
    ok('own devices', own.length > 0 ? own.join(', ') : 'not asked for yet'),
    countKeys('pre-key') >= PRE_KEYS.warn
      ? ok('pre-keys', `${countKeys('pre-key')} here, the next is ${read.nextPreKeyId}`)
      : warn('pre-keys', `${countKeys('pre-key')} here`, 'Restart the instance: a login uploads new ones.'),
    ok('privacy tokens', `${countKeys('tctoken')} of people who wrote to it or were written to`),
    ok('LID migration', isMigrated(read) ? 'done: people are written to by LID' : 'not known to be done'),
    ok('LID pairs', `${countKeys('lid-mapping')} entries`),
    versions.length > 0
      ? ok('app state', versions.sort().join(', '))
      : warn(
          'app state',
          'never synchronised',
          'Chats, contacts and labels of the phone are not known: restart the instance.',
        ),
  ]
}

/** Where the driver keeps it: in the part of the library's credential that is free for its user. */
const isMigrated = ({ additionalData }: Record<string, unknown>): boolean =>
  typeof additionalData === 'object' && additionalData !== null && 'lidMigrated' in additionalData

const readDeviceNumber = (id: string): string => /:(\d+)@/.exec(id)?.[1] ?? '0'

async function listOwnDevices(
  lists: Row[],
  open: (row: Row) => Promise<unknown>,
  ids: string[],
): Promise<string[]> {
  const users = ids.map((id) => id.split(/[:@]/)[0]).filter(Boolean)
  const own = lists.find(({ id }) => users.includes(id.split('@')[0]))
  const devices = own ? await open(own) : []
  return Array.isArray(devices) ? devices.map(String) : []
}

async function openValue(
  sealer: Sealer,
  instance: string,
  kind: string,
  id: string,
  value: Uint8Array,
): Promise<Record<string, unknown>> {
  const bytes = await sealer.open(new Uint8Array(value), `credential:${instance}:${kind}:${id}`)
  return JSON.parse(Buffer.from(bytes).toString())
}
