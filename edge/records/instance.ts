// Converts an instance and its connection to the records that callers see.

import { dateTime } from '../../shared/clock.ts'
import type { Connection, Instance } from '../../shared/contract/answers/instance.ts'
import type { Pairing } from '../../shared/contract/instance.ts'
import { phoneOf } from '../../shared/jid.ts'
import type { InstanceRow, OpenInstance } from '../store/instances.ts'

type Shown = Pick<
  InstanceRow,
  | 'id'
  | 'kind'
  | 'name'
  | 'companyId'
  | 'jid'
  | 'profileName'
  | 'status'
  | 'lastDisconnect'
  | 'lastDisconnectReason'
  | 'delayMin'
  | 'delayMax'
  | 'createdAt'
  | 'updatedAt'
  | 'held'
>

/** `listInstancePages` writes the same for lists. */
export function instanceRecord(row: Shown, pairing?: Pairing): Instance {
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
    msg_delay_min: row.delayMin,
    msg_delay_max: row.delayMax,
    createdAt: dateTime(row.createdAt),
    updatedAt: dateTime(row.updatedAt),
  }
}

/** Without `webhooks`. */
export function connection(row: OpenInstance): Connection {
  const pairing = pairingOf(row)
  const connected = row.connected && !isOrphaned(row)
  const loggedIn = row.loggedIn && !isOrphaned(row)
  return {
    ...{ connected, loggedIn, jid: row.jid },
    status: { connected: connected && loggedIn, loggedIn, jid: partsOf(row.jid) },
    instance: instanceRecord(row, pairing),
    ...(pairing && { pairing }),
  }
}

/** The status of an instance without a linked device. */
export const unlinkedStatus = { connected: false, loggedIn: false, jid: null }

function partsOf(jid: string): Connection['status']['jid'] {
  const [user = '', server = ''] = jid.split('@')
  return jid ? { user, agent: 0, device: 0, server } : null
}

// A host whose lease has ended has no session any more, whatever its last report was.
const isOrphaned = (row: Shown) => row.status !== 'disconnected' && !row.held

function pairingOf(row: OpenInstance): Pairing | undefined {
  const { pairing, status } = row
  const underWay =
    status === 'connecting' && row.held && pairing && Date.parse(pairing.expiresAt) > Date.now()
  return underWay ? pairing : undefined
}
