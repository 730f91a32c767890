// Converts an instance and its connection to the records that callers see.

import { noHistory } from '@msgnet/shared/contract/history.ts'
import type { Pairing } from '@msgnet/shared/contract/instance-requests.ts'
import type { Connection, Instance } from '@msgnet/shared/contract/responses/instance-responses.ts'
import { formatDateTime } from '@msgnet/shared/date-time.ts'
import { extractPhone } from '@msgnet/shared/jid.ts'
import type { InstanceRow, OpenInstance } from '../store/instance-queries.ts'
import { toCoverage } from './coverage-record.ts'

type ShownRow = Pick<
  InstanceRow,
  | 'id'
  | 'kind'
  | 'name'
  | 'companyId'
  | 'handle'
  | 'jid'
  | 'profileName'
  | 'status'
  | 'lastDisconnect'
  | 'lastDisconnectReason'
  | 'delayMin'
  | 'delayMax'
  | 'createdAt'
  | 'updatedAt'
  | 'isLeased'
>

/** `listInstancePages` writes the same for lists. */
export function toInstanceRecord(row: ShownRow, pairing?: Pairing): Instance {
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    companyId: row.companyId,
    handle: row.handle ?? '',
    owner: extractPhone(row.jid),
    profileName: row.profileName,
    qrcode: pairing?.method === 'qr' ? pairing.qrcode : '',
    paircode: pairing?.method === 'code' ? pairing.code : '',
    status: isOrphaned(row) ? 'connecting' : row.status,
    lastDisconnect: formatDateTime(row.lastDisconnect),
    lastDisconnectReason: row.lastDisconnectReason,
    msg_delay_min: row.delayMin,
    msg_delay_max: row.delayMax,
    createdAt: formatDateTime(row.createdAt),
    updatedAt: formatDateTime(row.updatedAt),
  }
}

/** Without `webhooks`. `heardAt`: as of `toCoverage`. */
export function toConnection(row: OpenInstance, heardAt = Date.now()): Connection {
  const pairing = findActivePairing(row)
  const connected = row.connected && !isOrphaned(row)
  const loggedIn = row.loggedIn && !isOrphaned(row)
  return {
    connected,
    loggedIn,
    jid: row.jid,
    status: { connected: connected && loggedIn, loggedIn, jid: splitJid(row.jid) },
    instance: toInstanceRecord(row, pairing),
    history: row.history ?? noHistory,
    coverage: toCoverage(row.coverage, heardAt),
    ...(pairing && { pairing }),
  }
}

/** The status of an instance without a linked device. */
export const unlinkedStatus = { connected: false, loggedIn: false, jid: null }

function splitJid(jid: string): Connection['status']['jid'] {
  const [user = '', server = ''] = jid.split('@')
  return jid ? { user, agent: 0, device: 0, server } : null
}

// A host whose lease has ended has no session any more, whatever its last report was.
const isOrphaned = (row: ShownRow) => row.status !== 'disconnected' && !row.isLeased

function findActivePairing(row: OpenInstance): Pairing | undefined {
  const { pairing, status } = row
  const activePairing =
    status === 'connecting' && row.isLeased && pairing && Date.parse(pairing.expiresAt) > Date.now()
  return activePairing ? pairing : undefined
}
