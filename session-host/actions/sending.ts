// The one way in which a session sends: stored under its name first, then asked of the network, then settled.

import { setTimeout as wait } from 'node:timers/promises'
import { emptyMessage, type MessageRecord } from '../../shared/contract/message.ts'
import { isGroup } from '../../shared/jid.ts'
import { done, type Outcome, refused } from '../../shared/wire/outcome.ts'
import type { Answer, Connection, ContentToSend, Encoded, Person, StoredMessage } from '../driver/driver.ts'
import { rowOf } from '../sessions/reporting.ts'
import type { Session } from '../sessions/session.ts'
import type { MessageRow } from '../store/messages.ts'
import { type ActionContext, notDone } from './action.ts'
import { markChatRead } from './chats.ts'
import { groupRefusal } from './group-refusals.ts'

/** What every route that sends may say beside the message itself. */
export interface Letter {
  number: string
  messageid: string
  replyid?: string | undefined
  mentions?: string[] | undefined
  delay?: number | undefined
  readchat?: boolean | undefined
  track_id?: string | undefined
  track_source?: string | undefined
}

type Saying = { mentions: string[]; quoted?: StoredMessage }

/** Sends what `write` makes of the letter's mentions and of the message that it answers. */
export async function sendNew(
  context: ActionContext,
  letter: Letter,
  write: (saying: Saying) => ContentToSend,
  complete?: (network: Connection, content: ContentToSend) => Promise<Answer<ContentToSend>>,
): Promise<Outcome<MessageRecord>> {
  const { session } = context
  const quoted = letter.replyid ? await session.intake.find(bareId(letter.replyid)) : undefined
  if (letter.replyid && !quoted?.wire) return refused('message_not_found')
  const saying: Saying = {
    mentions: letter.mentions ?? [],
    ...(quoted?.wire && { quoted: storedOf(quoted, quoted.wire) }),
  }
  const content = write(saying)
  return send(context, letter, content, {}, complete && ((network) => complete(network, content)))
}

export async function send(
  { session, deadline }: ActionContext,
  letter: Letter,
  content: ContentToSend,
  about: Partial<MessageRecord> = {},
  complete?: (network: Connection) => Promise<Answer<ContentToSend>>,
): Promise<Outcome<MessageRecord>> {
  const { network } = session
  if (!network) return refused('not_connected')
  const encoded = network.encode(content)
  if (!encoded) return refused('invalid_message', 'A message of this kind does not take this.')

  const chat = await network.knownAs(letter.number)
  const record = { ...pendingRecord(session, chat, letter, encoded), ...about }
  // Stored before the network hears of it: a send that nobody answered can still be named and found.
  await session.intake.pend(rowOf(record, session.instance, encoded.wire))

  const way = isGroup(letter.number)
    ? await session.groups.ready(network, letter.number, deadline)
    : await network.findAccount(letter.number, deadline)
  if (way.kind !== 'done') {
    await notSent(session, record, way)
    if (isGroup(letter.number)) return groupRefusal(way)
    return way.kind === 'refused' && way.code === 404 ? refused('not_on_network') : notDone(way)
  }
  const lid = 'lid' in way.value ? way.value.lid : ''
  if (lid && !record.chatlid) await session.intake.amend({ ...record, chatlid: lid })
  let { wire } = encoded
  if (complete) {
    const whole = await complete(network)
    const full = whole.kind === 'done' ? network.encode(whole.value) : undefined
    if (whole.kind !== 'done' || !full) {
      const failed: Exclude<Answer, { kind: 'done' }> = whole.kind === 'done' ? { kind: 'silent' } : whole
      await notSent(session, record, failed)
      // Nothing was sent yet: what became of the file is no riddle about the message.
      return refused('media_unavailable', failed.message)
    }
    wire = full.wire
    await session.intake.amend(
      { ...record, chatlid: record.chatlid || lid, content: full.said.content },
      wire,
    )
  }
  await showTypingFor(network, letter, deadline)
  if (deadline.aborted) {
    await notSent(session, record, { kind: 'silent', message: 'the delay took all the time there was' })
    return refused('operation_refused', 'delay is longer than the time this request has')
  }
  const answer = await network.send(letter.messageid, letter.number, wire, deadline)
  if (answer.kind === 'refused') await notSent(session, record, answer)
  if (answer.kind !== 'done') return notDone(answer)

  // The message is sent whatever becomes of our own disk, and of the rest.
  const sent = await session.intake.settle(letter.messageid, 'Sent').catch(() => undefined)
  if (letter.readchat) await markChatRead(session, network, letter.number, deadline).catch(() => undefined)
  return done(sent ?? { ...record, status: 'Sent' })
}

/** Ids are taken with or without their `owner:` prefix. */
const bareId = (id: string) => id.slice(id.indexOf(':') + 1)

const storedOf = ({ messageid, record }: MessageRow, wire: Uint8Array): StoredMessage => ({
  messageid,
  sender: record.sender,
  wire,
})

function pendingRecord(session: Session, chat: Person, letter: Letter, { said }: Encoded): MessageRecord {
  const { owner, now } = session.state
  const inGroup = isGroup(chat.id)
  return {
    ...emptyMessage,
    id: `${owner}:${letter.messageid}`,
    messageid: letter.messageid,
    chatid: chat.pn || chat.id,
    chatlid: chat.lid,
    sender: now.jid,
    sender_pn: now.jid,
    sender_lid: now.lid,
    isGroup: inGroup,
    groupName: inGroup ? session.groups.name(chat.id) : '',
    fromMe: true,
    messageType: said.messageType,
    type: said.type,
    mediaType: said.mediaType,
    messageTimestamp: Date.now(),
    status: 'Pending',
    text: said.text,
    quoted: said.quoted,
    edited: said.type === 'edit' ? said.target : '',
    reaction: said.reaction,
    content: said.type === 'delete' ? { target: said.target } : said.content,
    owner,
    source: 'api',
    wasSentByApi: true,
    track_id: letter.track_id ?? '',
    track_source: letter.track_source ?? '',
  }
}

/** Certainly without effect. */
const notSent = (session: Session, { messageid }: MessageRecord, answer: Exclude<Answer, { kind: 'done' }>) =>
  session.intake.settle(messageid, 'Failed', answer.kind === 'refused' ? `${answer.code}` : answer.message)

async function showTypingFor(
  network: Connection,
  { number, delay = 0 }: Letter,
  deadline: AbortSignal,
): Promise<void> {
  if (delay === 0) return
  // Decoration: a network that does not take it does not stop the message.
  await network.showPresence(number, 'composing', deadline)
  await wait(delay, undefined, { signal: deadline }).catch(() => undefined)
  await network.showPresence(number, 'paused', deadline)
}
