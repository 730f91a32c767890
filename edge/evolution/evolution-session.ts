// The session of an instance: linking, state, restart, logout, deletion, and the list of instances.

import type { Connection, Instance } from '@msgnet/shared/contract/responses/instance-responses.ts'
import type { Context } from 'hono'
import { callContract } from '../http/call-contract.ts'
import type { DialectInput } from '../http/dialect-app.ts'
import type { Rows } from '../http/dialect-rows.ts'
import { type Fields, readText } from '../http/read-fields.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { nameInstance, toHandle } from './evolution-callers.ts'
import { EvolutionRefusal } from './evolution-errors.ts'
import { toOuterId, toState } from './evolution-ids.ts'
import { describePairing, reasons } from './evolution-payloads.ts'
import { findSettings } from './evolution-webhook.ts'

/** Waits some seconds for the first code. `number`: to be linked by a pairing code; empty for a QR code. */
export const connect = (c: Context<EdgeEnv>, number: string, isFull = false): Promise<Connection> =>
  callContract<Connection>(c, 'connect', {
    body: { ...(number && { phone: number }), ...(isFull && { history: 'full' }) },
    names: { phone: 'number' },
  })

/** `count`: 0 until there is a code. */
export const describeLinking = ({ pairing }: Connection) => ({
  ...describePairing(pairing),
  count: pairing ? 1 : 0,
})

/** Programs poll it: the code that is shown stays until it ends, however the instance is being linked. */
async function connectInstance(c: Context<EdgeEnv>, { number }: Fields) {
  const present = number ? undefined : await callContract<Connection>(c, 'getStatus')
  if (present?.pairing) return describeLinking(present)
  const { syncFullHistory } = await findSettings(c)
  const connection = await connect(c, readText(number), syncFullHistory)
  return connection.instance.status === 'connected' ? describeState(connection) : describeLinking(connection)
}

const describeState = ({ instance }: Connection, field: 'state' | 'status' = 'state') => ({
  instance: { instanceName: nameInstance(instance), [field]: toState(instance.status) },
})

const describeDone = (message: string) => () => ({ status: 'SUCCESS', error: false, response: { message } })

export const sessionRows: Rows = {
  'GET /instance/connect /instance/qrcode': [connectInstance],
  'GET /instance/connectionState': ['getStatus', '', (found) => describeState(found)],
  'POST|PUT 200 /instance/restart': ['restart', '', (found) => describeState(found, 'status')],
  'DELETE /instance/logout': ['disconnect', '', describeDone('Instance logged out')],
  'DELETE /instance/delete': ['deleteInstance', '', describeDone('Instance deleted')],
  'POST /instance/setPresence': ['showOwnPresence', 'presence!', (_, { presence }) => ({ presence })],
}

/** All that an admin sees; the own one of an instance. */
export async function fetchInstances(c: Context<EdgeEnv>, { query }: DialectInput) {
  const { instanceName, instanceId, number } = query
  const found = (await listVisible(c)).filter(
    ({ id, handle, owner }) =>
      (!instanceName || handle === toHandle(instanceName) || id === instanceName) &&
      (!instanceId || id === instanceId) &&
      (!number || owner === number.replace(/\D/g, '')),
  )
  const named = instanceName || instanceId || number
  if (named && found.length === 0) throw new EvolutionRefusal(404, [`The "${named}" instance does not exist`])
  return found.map(describeInstance)
}

async function listVisible(c: Context<EdgeEnv>): Promise<Instance[]> {
  if (c.var.actor.kind !== 'instance') return callContract<Instance[]>(c, 'listInstances')
  return [(await callContract<Connection>(c, 'getStatus')).instance]
}

/** With the names of 1.x beside those of 2.x. */
function describeInstance(instance: Instance) {
  const { id, owner, profileName, lastDisconnectReason, createdAt, updatedAt } = instance
  const [name, state] = [nameInstance(instance), toState(instance.status)]
  const states = { connectionStatus: state, status: state }
  const person = { ownerJid: owner ? toOuterId(owner) : null, number: owner || null, profilePicUrl: null }
  return {
    id,
    name,
    instanceName: name,
    ...states,
    ...person,
    profileName: profileName || null,
    integration: 'WHATSAPP-BAILEYS',
    token: null,
    disconnectionReasonCode: reasons[lastDisconnectReason] ?? null,
    createdAt,
    updatedAt,
    Setting: null,
    // To count them would ask each host.
    _count: { Message: null, Contact: null, Chat: null },
  }
}
