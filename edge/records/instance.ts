// How an instance and its connection are shown to callers.

import { dateTime } from '../../shared/clock.ts'
import type { Connection, Instance } from '../../shared/contract/answers/instance.ts'
import type { Pairing } from '../../shared/contract/instance.ts'
import { phoneOf } from '../../shared/jid.ts'
import type { ListedInstance, OpenInstance } from '../store/instances.ts'

export function instanceRecord(row: ListedInstance, pairing?: Pairing): Instance {
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    companyId: row.companyId,
    owner: phoneOf(row.jid),
    profileName: row.profileName,
    qrcode: pairing?.method === 'qr' ? pairing.qrcode : '',
    paircode: pairing?.method === 'code' ? pairing.code : '',
    status: isOrphaned(row) ? 'connecting' : row.status,
    lastDisconnect: dateTime(row.lastDisconnect),
    lastDisconnectReason: row.lastDisconnectReason,
    createdAt: dateTime(row.createdAt),
    updatedAt: dateTime(row.updatedAt),
  }
}

/** Without `webhooks`. */
export function connection(row: OpenInstance): Connection {
  const pairing = pairingOf(row)
  return {
    connected: row.connected && !isOrphaned(row),
    loggedIn: row.loggedIn && !isOrphaned(row),
    jid: row.jid,
    instance: instanceRecord(row, pairing),
    ...(pairing && { pairing }),
  }
}

// A host whose lease has ended holds no session any more, whatever it said last: it is being waited for.
const isOrphaned = (row: ListedInstance) => row.status !== 'disconnected' && !row.held

function pairingOf(row: OpenInstance): Pairing | undefined {
  const { pairing, status } = row
  const underWay =
    status === 'connecting' && row.held && pairing && Date.parse(pairing.expiresAt) > Date.now()
  return underWay ? pairing : undefined
}
