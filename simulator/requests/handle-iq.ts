// Handles a request: logs it, applies a fault if one fits, else calls its handler from the table.
import { buildStanza, listChildren, type Stanza } from '../codec/stanza.ts'
import { isGroupJid, SERVER } from '../network/address.ts'
import { type Connection, getDeviceId } from '../network/connections.ts'
import { buildErrorNode, Refusal } from '../network/refusal-codes.ts'
import type { Network } from '../network/simulated-network.ts'
import { formatSeconds } from '../network/stanza-ids.ts'
import { buildStreamError } from '../network/stream-errors.ts'
import { appStateRequests } from './app-state-iq.ts'
import { encryptionRequests } from './encryption-iq.ts'
import { graphRequests } from './graph-iq.ts'
import { groupRequests } from './group-iq.ts'
import { groupMemberRequests } from './group-member-iq.ts'
import { groupSettingRequests } from './group-setting-iq.ts'
import { housekeepingRequests } from './housekeeping-iq.ts'
import { linkingRequests } from './linking-iq.ts'
import { passkeyRequests } from './passkey-iq.ts'
import { peopleRequests } from './people-iq.ts'
import { pictureRequests } from './picture-iq.ts'
import { privacyRequests } from './privacy-iq.ts'
import type { RequestTable } from './request.ts'

const HANDLERS: RequestTable = {
  ...appStateRequests,
  ...encryptionRequests,
  ...graphRequests,
  ...groupMemberRequests,
  ...groupRequests,
  ...groupSettingRequests,
  ...housekeepingRequests,
  ...linkingRequests,
  ...passkeyRequests,
  ...peopleRequests,
  ...pictureRequests,
  ...privacyRequests,
}

export async function handleRequest(network: Network, connection: Connection, iq: Stanza) {
  const { number, device } = getDeviceId(connection)
  // Telemetry is sent without a type; it means to set.
  const { xmlns = '', type = 'set', id } = iq.attrs
  const content = listChildren(iq)
  const { handler, child } = findHandler(`${xmlns} ${type}`, content)
  const tags = listTags(type, child)
  network.log.addEntry(
    { number, device },
    { what: 'iq', xmlns, type, child: content[0]?.tag ?? '', tags, attrs: child?.attrs ?? {} },
  )
  if (id === undefined) return connection.socket.endWith(buildStreamError(400))
  const group = isGroupJid(iq.attrs.target) ? iq.attrs.target : iq.attrs.to
  const subject = { number: number ?? undefined, group, xmlns, tags }
  const fault = network.faults.consumeRequestFault(subject)
  if (fault.silent) return
  const respond = (resultType: string, content: Stanza[]) => {
    const attrs = {
      from: iq.attrs.to ?? SERVER,
      type: resultType,
      id,
      t: formatSeconds(),
    }
    network.faults.runDelayed(subject, () => connection.socket.send(buildStanza('iq', attrs, content)))
  }
  if (fault.refused !== undefined) return respond('error', [buildErrorNode(fault.refused)])
  if (handler === undefined) {
    network.log.unknown.add({ at: Date.now(), number, stanza: iq })
    return respond('error', [buildErrorNode(400)])
  }
  try {
    respond('result', await handler({ network, connection, iq, child }))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    respond('error', [buildErrorNode(error.code)])
  }
}

/** The children of a request may have any order: the first that has a handler names the request. */
function findHandler(kind: string, content: Stanza[]) {
  const child = content.find(({ tag }) => HANDLERS[`${kind} ${tag}`] !== undefined) ?? content[0]
  return { handler: HANDLERS[`${kind} ${child?.tag ?? '-'}`], child }
}

/** The tags of a request: the child that names it, alone and with its type; a change of settings is also a `patch`. */
function listTags(type: string, child: Stanza | undefined): string[] {
  const tag = child?.tag ?? ''
  const patches = listChildren(child, 'collection').some((one) => listChildren(one, 'patch').length > 0)
  return ['iq', tag, `${type} ${tag}`, ...(patches ? ['patch'] : [])]
}
