// Actions on the chat settings that all devices of an account share: archive, pin, mute, delete; and the details of a chat.

import { HOUR } from '../../shared/clock.ts'
import type { ChatRecord } from '../../shared/contract/answers/chat.ts'
import type { ChatDeletion } from '../../shared/contract/settings.ts'
import { isGroup, phoneOf } from '../../shared/jid.ts'
import { done, type Outcome, refused } from '../../shared/wire/outcome.ts'
import type { Answer, Connection, NewestMessage, Person, SettingChange } from '../driver/driver.ts'
import { imageKind } from '../first-bytes.ts'
import type { Session } from '../sessions/session.ts'
import { forgetChat, forgetMessages } from '../store/chats.ts'
import { findChat } from '../store/finding-chats.ts'
import { listMessages } from '../store/messages.ts'
import { type ActionContext, type ActionTable, notDone } from './action.ts'
import { settingsReady } from './settings-ready.ts'

type Name = 'chat.archive' | 'chat.pin' | 'chat.mute' | 'chat.delete' | 'chat.details'

export const chatSettingActions: Pick<ActionTable<'chat'>, Name> = {
  'chat.archive': (context, { number, archive }) =>
    change(context, number, archive ? 'Chat archived' : 'Chat unarchived', async (network, chat) => {
      const newest = await newestOf(context.session, chat)
      const answer = await network.settings.archive(chat, archive, newest, context.deadline)
      return { answer, now: { kind: 'chat', chat, archived: archive } }
    }),

  'chat.pin': (context, { number, pin }) =>
    change(context, number, pin ? 'Chat pinned' : 'Chat unpinned', async (network, chat) => {
      const answer = await network.settings.pin(chat, pin, context.deadline)
      return { answer, now: { kind: 'chat', chat, pinned: pin } }
    }),

  'chat.mute': (context, { number, muteEndTime: hours }) =>
    change(context, number, hours === 0 ? 'Chat unmuted' : 'Chat muted', async (network, chat) => {
      const until = hours > 0 ? Date.now() + hours * HOUR : hours
      const answer = await network.settings.mute(chat, until, context.deadline)
      return { answer, now: { kind: 'chat', chat, mutedUntil: until } }
    }),

  async 'chat.delete'({ session, network, deadline, log }, { number, ...wish }) {
    if (!network) return refused('not_connected')
    const chat = await network.knownAs(number)
    const { store, instance } = session
    const actions: ChatDeletion[] = []
    const errors: string[] = []
    if (wish.clearChatWhatsApp || wish.deleteChatWhatsApp) {
      const notReady = await settingsReady(network, deadline)
      if (notReady) return notReady
    }
    const newest = await newestOf(session, chat)
    for (const [name, ask] of [
      ['clearChatWhatsApp', network.settings.clear],
      ['deleteChatWhatsApp', network.settings.remove],
    ] as const) {
      if (!wish[name]) continue
      const answer = await ask(chat, newest, deadline)
      if (answer.kind === 'done') actions.push(name)
      else if (answer.kind !== 'refused' || actions.length === 0) return notDone(answer)
      else errors.push(`${name}: ${answer.code}`)
    }
    const spellings = [...new Set([chat.id, chat.pn, chat.lid])].filter(Boolean)
    for (const [name, forget] of [
      ['deleteMessagesDB', forgetMessages],
      ['deleteChatDB', forgetChat],
    ] as const) {
      if (!wish[name]) continue
      try {
        await store.commitFor(instance, [forget(store, instance, spellings)])
        actions.push(name)
      } catch (thrown) {
        // The devices have already deleted it, so this is no failure of the whole.
        if (actions.length === 0) throw thrown
        log.error({ err: thrown }, 'a chat is not deleted here')
        errors.push(`${name}: storage_unavailable`)
      }
    }
    return done({ response: 'Chat deleted', actions, errors })
  },

  async 'chat.details'({ session, network, deadline }, { number, preview, inline }) {
    if (!network) return refused('not_connected')
    const { store, instance, groups } = session
    const chat = await network.knownAs(number)
    const small = preview || inline
    const answer = await network.account.pictureUrl(number, small, deadline)
    if (answer.kind !== 'done') return notDone(answer)
    const shown = inline ? await asData(network, answer.value, deadline) : done(answer.value)
    if (shown.kind !== 'done') return shown
    const spellings = [...new Set([chat.id, chat.pn, chat.lid])].filter(Boolean)
    const { owner } = session.state
    const known = await network.account.knownBlocked(deadline)
    const blocked = known.kind === 'done' ? known.value.flatMap(({ id, pn, lid }) => [id, pn, lid]) : []
    const stored = await findChat(store, instance, spellings, { owner, blocked })
    const jid = stored?.id || chat.pn || chat.id
    const common = isGroup(number) ? [] : await groups.with(spellings)
    return done({
      ...(stored ?? unwritten({ jid, lid: chat.lid, owner, name: groups.name(number), blocked })),
      ...{ id: jid, lid: stored?.lid || chat.lid },
      ...{ image: small ? '' : shown.result, imagePreview: small ? shown.result : '' },
      common_groups: common.map(({ jid, subject }) => `(${subject})${jid}`).join(','),
    })
  },
}

/** A small picture has a few kilobytes; a larger one would delay other frames on the link. */
const PREVIEW_BYTES = 64 * 1024

async function asData(network: Connection, url: string, deadline: AbortSignal): Promise<Outcome<string>> {
  if (!url) return done('')
  const answer = await network.account.picture(url, PREVIEW_BYTES, deadline)
  if (answer.kind !== 'done') return refused('media_unavailable', 'The picture could not be fetched.')
  const kind = imageKind(answer.value)
  if (!kind) return refused('media_unavailable', 'What is there is no picture.')
  return done(`data:image/${kind};base64,${Buffer.from(answer.value).toString('base64')}`)
}

interface Unwritten {
  jid: string
  lid: string
  owner: string
  name: string
  blocked: string[]
}

/** The record of a chat that is not stored. */
function unwritten({ jid, lid, owner, name, blocked }: Unwritten): ChatRecord {
  const [phone, group] = [phoneOf(jid), isGroup(jid)]
  return {
    ...{ id: jid, lid, name, isGroup: group, unreadCount: 0, lastMessageId: '', lastMessageTimestamp: 0 },
    ...{ wa_chatid: jid, wa_chatlid: lid, wa_fastid: `${owner}:${jid}`, wa_name: name, wa_contactName: '' },
    ...{ wa_isGroup: group, wa_unreadCount: 0, wa_lastMsgTimestamp: 0, wa_lastMessageTextVote: '' },
    ...{ wa_archived: false, wa_isPinned: false, wa_muteEndTime: 0, wa_isBlocked: blocked.includes(jid) },
    ...{ phone: phone && `+${phone}`, image: '' },
  }
}

async function change(
  { session, network, deadline }: ActionContext,
  number: string,
  response: string,
  ask: (network: Connection, chat: Person) => Promise<{ answer: Answer; now: SettingChange }>,
): Promise<Outcome<{ response: string }>> {
  if (!network) return refused('not_connected')
  const notReady = await settingsReady(network, deadline)
  if (notReady) return notReady
  const { answer, now } = await ask(network, await network.knownAs(number))
  if (answer.kind !== 'done') return notDone(answer)
  await session.settings.apply(now)
  return done({ response })
}

async function newestOf(session: Session, { id, pn, lid }: Person): Promise<NewestMessage | undefined> {
  const chatids = [...new Set([id, pn, lid])].filter(Boolean)
  const [newest] = await listMessages(session.store, session.instance, { chatids }, { limit: 1, offset: 0 })
  if (!newest) return undefined
  const { messageid, fromMe, sender, isGroup, messageTimestamp: at } = newest
  return { messageid, fromMe, sender, isGroup, at }
}
