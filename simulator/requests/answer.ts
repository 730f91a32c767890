// Answers a request: logs it, applies a fault if one fits, else calls its handler from the table.
import { children, type Stanza, stanza } from '../codec/stanza.ts'
import { isGroup, SERVER } from '../network/address.ts'
import { type Connection, whose } from '../network/connections.ts'
import type { Network } from '../network/network.ts'
import { errorNode, Refusal } from '../network/refusal.ts'
import { seconds } from '../network/stamps.ts'
import { streamError } from '../network/stream-errors.ts'
import { appStateRequests } from './app-state.ts'
import { encryptionRequests } from './encryption.ts'
import { graphRequests } from './graph.ts'
import { groupMemberRequests } from './group-members.ts'
import { groupSettingRequests } from './group-settings.ts'
import { groupRequests } from './groups.ts'
import { housekeepingRequests } from './housekeeping.ts'
import { linkingRequests } from './linking.ts'
import { passkeyRequests } from './passkeys.ts'
import { peopleRequests } from './people.ts'
import { pictureRequests } from './pictures.ts'
import { privacyRequests } from './privacy.ts'
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

export async function answer(network: Network, connection: Connection, iq: Stanza) {
  const { number, device } = whose(connection)
  // Telemetry is sent without a type; it means to set.
  const { xmlns = '', type = 'set', id } = iq.attrs
  const content = children(iq)
  const { handler, child } = findHandler(`${xmlns} ${type}`, content)
  const tags = tagsOf(type, child)
  network.log.saw(
    { number, device },
    { what: 'iq', xmlns, type, child: content[0]?.tag ?? '', tags, attrs: child?.attrs ?? {} },
  )
  if (id === undefined) return connection.socket.end(streamError(400))
  const group = isGroup(iq.attrs.target) ? iq.attrs.target : iq.attrs.to
  const asked = { number: number ?? undefined, group, xmlns, tags }
  const fault = network.faults.forRequest(asked)
  if (fault.silent) return
  const reply = (resultType: string, content: Stanza[]) => {
    const attrs = {
      from: iq.attrs.to ?? SERVER,
      type: resultType,
      id,
      t: seconds(),
    }
    network.faults.later(asked, () => connection.socket.send(stanza('iq', attrs, content)))
  }
  if (fault.refused !== undefined) return reply('error', [errorNode(fault.refused)])
  if (handler === undefined) {
    network.log.unknown.add({ at: Date.now(), number, stanza: iq })
    return reply('error', [errorNode(400)])
  }
  try {
    reply('result', await handler({ network, connection, iq, child }))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    reply('error', [errorNode(error.code)])
  }
}

/** Clients order the children of a request as they like: the first that has a handler says what it is. */
function findHandler(kind: string, content: Stanza[]) {
  const child = content.find(({ tag }) => HANDLERS[`${kind} ${tag}`] !== undefined) ?? content[0]
  return { handler: HANDLERS[`${kind} ${child?.tag ?? '-'}`], child }
}

/** The tags of a request: the child that says what it is, alone and with its type; a change of settings is also a `patch`. */
function tagsOf(type: string, child: Stanza | undefined): string[] {
  const tag = child?.tag ?? ''
  const patches = children(child, 'collection').some((one) => children(one, 'patch').length > 0)
  return ['iq', tag, `${type} ${tag}`, ...(patches ? ['patch'] : [])]
}
