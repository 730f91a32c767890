// Messages sent, and what is done to messages that exist, through the session of the instance.

import type { Deleted, MessagePage, Said } from '../../shared/contract/answers/chat.ts'
import type { MessageRecord } from '../../shared/contract/answers/message.ts'
import type { SendText } from '../../shared/contract/message.ts'
import type * as asked from '../../shared/contract/message-actions.ts'
import { act } from '../hosts/dispatch.ts'
import type { Taking } from '../http/body.ts'
import { actNamed, loggedIn, placed, sendable } from './session-acts.ts'

export async function sendText(c: Taking<typeof SendText>) {
  const message = c.req.valid('json')
  return c.json<MessageRecord>(
    await actNamed(c, sendable(c, message), 'message.sendText', message, message.delay),
  )
}

export async function sendLocation(c: Taking<typeof asked.SendLocation>) {
  const place = c.req.valid('json')
  return c.json<MessageRecord>(
    await actNamed(c, sendable(c, place), 'message.sendLocation', place, place.delay),
  )
}

export async function sendContact(c: Taking<typeof asked.SendContact>) {
  const contact = c.req.valid('json')
  return c.json<MessageRecord>(
    await actNamed(c, sendable(c, contact), 'message.sendContact', contact, contact.delay),
  )
}

export async function forwardMessage(c: Taking<typeof asked.ForwardMessage>) {
  return c.json<MessageRecord>(await actNamed(c, placed(c), 'message.forward', c.req.valid('json')))
}

export async function reactToMessage(c: Taking<typeof asked.ReactToMessage>) {
  return c.json<MessageRecord>(await actNamed(c, placed(c), 'message.react', c.req.valid('json')))
}

export async function editMessage(c: Taking<typeof asked.EditMessage>) {
  return c.json<MessageRecord>(await actNamed(c, placed(c), 'message.edit', c.req.valid('json')))
}

export async function deleteMessage(c: Taking<typeof asked.DeleteMessage>) {
  return c.json<Deleted>(await actNamed(c, placed(c), 'message.delete', c.req.valid('json')))
}

export async function showPresence(c: Taking<typeof asked.SendPresence>) {
  await act(c, loggedIn(c), 'message.presence', c.req.valid('json'))
  return c.json<Said>({ response: 'Presence sent' })
}

export async function findMessages(c: Taking<typeof asked.FindMessages>) {
  const wanted = c.req.valid('json')
  if (!c.var.instance.hostId) {
    const { limit, offset } = wanted
    return c.json<MessagePage>({ messages: [], limit, offset, nextOffset: offset, hasMore: false })
  }
  return c.json<MessagePage>(await act(c, placed(c), 'message.find', wanted))
}
