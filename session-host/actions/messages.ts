// What a session can be asked to send.

import { setTimeout as wait } from 'node:timers/promises'
import { emptyMessage, type MessageRecord } from '../../shared/contract/message.ts'
import { isGroup } from '../../shared/jid.ts'
import type { ActionInput } from '../../shared/wire/actions.ts'
import { done, refused } from '../../shared/wire/outcome.ts'
import type { Answer, Connection, Person } from '../driver/driver.ts'
import { rowOf } from '../sessions/reporting.ts'
import type { Session } from '../sessions/session.ts'
import { type ActionContext, type ActionTable, notDone } from './actions.ts'
import { markChatRead } from './chats.ts'

type SendText = ActionInput<'message.sendText'>

export const messageActions: ActionTable<'message'> = {
  async 'message.sendText'({ session, deadline }, input) {
    const { network } = session
    if (!network) return refused('not_connected')
    const quoted = input.replyid ? await session.intake.find(bareId(input.replyid)) : undefined
    if (input.replyid && !quoted?.wire) return refused('message_not_found')

    const wire = network.encodeText({
      text: input.text,
      mentions: input.mentions ?? [],
      ...(quoted?.wire && {
        quoted: { messageid: quoted.messageid, sender: quoted.record.sender, wire: quoted.wire },
      }),
    })
    const chat = await network.knownAs(input.number)
    const record = pendingRecord(session, chat, input, quoted?.messageid ?? '')
    // Stored before the network hears of it: a send that nobody answered can still be named and found.
    await session.intake.pend(rowOf(record, session.instance, wire))

    const account = await network.findAccount(input.number, deadline)
    if (account.kind !== 'done') {
      await notSent(session, record, account)
      return account.kind === 'refused' && account.code === 404 ? refused('not_on_network') : notDone(account)
    }
    const { lid } = account.value
    if (lid && !record.chatlid) await session.intake.amend({ ...record, chatlid: lid })
    await showTypingFor(network, input, deadline)
    if (deadline.aborted) {
      await notSent(session, record, { kind: 'silent', message: 'the delay took all the time there was' })
      return refused('operation_refused', 'delay is longer than the time this request has')
    }
    const answer = await network.send(input.messageid, input.number, wire, deadline)
    if (answer.kind === 'refused') await notSent(session, record, answer)
    if (answer.kind !== 'done') return notDone(answer)

    const sent = (await session.intake.settle(input.messageid, 'Sent')) ?? record
    // The message is sent whatever becomes of this.
    if (input.readchat) await markChatRead(session, network, input.number, deadline)
    return done(sent)
  },
}

/** `replyid` is taken with or without its `owner:` prefix. */
const bareId = (id: string) => id.slice(id.indexOf(':') + 1)

function pendingRecord(session: Session, chat: Person, input: SendText, quoted: string): MessageRecord {
  const { owner, now } = session.state
  return {
    ...emptyMessage,
    id: `${owner}:${input.messageid}`,
    messageid: input.messageid,
    chatid: chat.pn || chat.id,
    chatlid: chat.lid,
    sender: now.jid,
    sender_pn: now.jid,
    sender_lid: now.lid,
    isGroup: isGroup(chat.id),
    fromMe: true,
    messageType: 'extendedTextMessage',
    type: 'text',
    messageTimestamp: Date.now(),
    status: 'Pending',
    text: input.text,
    quoted,
    owner,
    source: 'api',
    wasSentByApi: true,
    track_id: input.track_id ?? '',
    track_source: input.track_source ?? '',
  }
}

/** Certainly without effect. */
const notSent = (session: Session, { messageid }: MessageRecord, answer: Exclude<Answer, { kind: 'done' }>) =>
  session.intake.settle(messageid, 'Failed', answer.kind === 'refused' ? `${answer.code}` : answer.message)

async function showTypingFor(
  network: Connection,
  { number, delay = 0 }: SendText,
  deadline: ActionContext['deadline'],
): Promise<void> {
  if (delay === 0) return
  // Decoration: a network that does not take it does not stop the message.
  await network.showTyping(number, true).catch(() => undefined)
  await wait(delay, undefined, { signal: deadline }).catch(() => undefined)
  await network.showTyping(number, false).catch(() => undefined)
}
