// Calls of an instance that is a device for voice.

import type { Context } from 'hono'
import type { CallList } from '../../shared/contract/answers/call.ts'
import type { Said } from '../../shared/contract/answers/chat.ts'
import type { RejectCall } from '../../shared/contract/call.ts'
import { Fault } from '../../shared/faults.ts'
import type { EdgeEnv } from '../context.ts'
import { act } from '../hosts/dispatch.ts'
import type { Taking } from '../http/body.ts'

export async function rejectCall(c: Taking<typeof RejectCall>) {
  await act(c, forVoice(c), 'call.reject', c.req.valid('json'))
  return c.json<Said>({ response: 'Call rejected' })
}

export async function listCalls(c: Context<EdgeEnv>) {
  const instance = forVoice(c)
  if (!instance.hostId) return c.json<CallList>({ calls: [] })
  return c.json<CallList>(await act(c, instance, 'call.list', {}))
}

/** Without a host it was never connected: the act then finds nobody to ask. */
function forVoice(c: Context<EdgeEnv>) {
  const { instance } = c.var
  if (instance.kind !== 'calls')
    throw new Fault('session_conflict', 'Only an instance of kind calls takes calls.')
  if (!instance.hostId && c.req.method !== 'GET') throw new Fault('not_connected')
  return instance
}
