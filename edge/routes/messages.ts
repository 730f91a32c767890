// Messages sent and chats marked read, through the session of the instance.

import type { Context } from 'hono'
import type { MessageRecord, ReadResult } from '../../shared/contract/answers/message.ts'
import type { ChatRead, SendText } from '../../shared/contract/message.ts'
import { Fault } from '../../shared/faults.ts'
import { makeMessageId } from '../../shared/tokens.ts'
import { actionTimeout, type EdgeEnv } from '../env.ts'
import { act } from '../hosts/dispatch.ts'
import type { Taking } from '../http/body.ts'
import type { InstanceRow } from '../store/instances.ts'

export async function sendText(c: Taking<typeof SendText>) {
  const message = c.req.valid('json')
  // Made before anything is asked, so that an answer that never comes can be reconciled by it.
  const messageid = c.var.replay?.messageid || makeMessageId()
  const budget = actionTimeout(c.env) + (message.delay ?? 0)
  const sent = await act(c, loggedIn(c), 'message.sendText', { ...message, messageid }, { budget, messageid })
  return c.json<MessageRecord>(sent)
}

export async function readChat(c: Taking<typeof ChatRead>) {
  const chat = c.req.valid('json')
  if (!chat.read) {
    return c.json<ReadResult>({
      success: true,
      marked: 0,
      note: 'Marking as unread is not supported: nothing was marked.',
    })
  }
  const { marked } = await act(c, loggedIn(c), 'chat.read', chat)
  return c.json<ReadResult>({ success: true, marked })
}

/** The instance, if its session can be asked something of the network. */
function loggedIn(c: Context<EdgeEnv>): InstanceRow {
  const { instance, replay } = c.var
  // What is asked after has been judged when it was handed over.
  if (replay?.recalling) return instance
  if (instance.status !== 'connected' || !instance.loggedIn) throw new Fault('not_connected')
  return instance
}
