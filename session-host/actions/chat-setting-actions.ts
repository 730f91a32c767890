// Actions on the chat settings that all devices of an account share: archive, pin, mute, delete; and the details of a chat.

import { type ChatRecord, emptyLastMessage } from '@msgnet/shared/contract/responses/chat-responses.ts'
import type { ChatDeletion } from '@msgnet/shared/contract/setting-requests.ts'
import { HOUR } from '@msgnet/shared/date-time.ts'
import { extractPhone, isGroup } from '@msgnet/shared/jid.ts'
import { createDoneOutcome, createRefusal, type Outcome } from '@msgnet/shared/wire/outcome.ts'
import type { Connection, NetworkOutcome, NewestMessage, Person } from '../driver/driver.ts'
import { detectImageKind } from '../media/image-kind.ts'
import type { Session } from '../sessions/host-session.ts'
import { findChat } from '../store/chat-search.ts'
import { deleteChat, deleteMessages } from '../store/chat-store.ts'
import { listMessages } from '../store/message-store.ts'
import type { StoredChange } from '../store/setting-store.ts'
import { findUsernames } from '../store/username-store.ts'
import { type ActionContext, type ActionTable, toFailedOutcome } from './action.ts'
import { checkSettingsReady } from './settings-ready.ts'

type Name = 'chat.archive' | 'chat.pin' | 'chat.mute' | 'chat.delete' | 'chat.details'

export const chatSettingActions: Pick<ActionTable<'chat'>, Name> = {
  'chat.archive': (context, { number, archive }) =>
    changeSetting(context, number, archive ? 'Chat archived' : 'Chat unarchived', async (network, chat) => {
      const newest = await findNewestMessage(context.session, chat)
      const answer = await network.settings.setArchived(chat, archive, newest, context.deadline)
      return { answer, now: { kind: 'chat', chat, archived: archive } }
    }),

  'chat.pin': (context, { number, pin }) =>
    changeSetting(context, number, pin ? 'Chat pinned' : 'Chat unpinned', async (network, chat) => {
      const answer = await network.settings.setPinned(chat, pin, context.deadline)
      return { answer, now: { kind: 'chat', chat, pinned: pin } }
    }),

  'chat.mute': (context, { number, muteEndTime: hours }) =>
    changeSetting(context, number, hours === 0 ? 'Chat unmuted' : 'Chat muted', async (network, chat) => {
      const until = hours > 0 ? Date.now() + hours * HOUR : hours
      const answer = await network.settings.setMuted(chat, until, context.deadline)
      return { answer, now: { kind: 'chat', chat, mutedUntil: until } }
    }),

  async 'chat.delete'({ session, network, deadline, log }, { number, ...wish }) {
    if (!network) return createRefusal('not_connected')
    const chat = await network.findKnownIds(number)
    const { store, instance } = session
    const actions: ChatDeletion[] = []
    const errors: string[] = []
    if (wish.clearChatWhatsApp || wish.deleteChatWhatsApp) {
      const notReady = await checkSettingsReady(network, deadline)
      if (notReady) return notReady
    }
    const newest = await findNewestMessage(session, chat)
    const { settings } = network
    for (const [name, request] of [
      ['clearChatWhatsApp', () => settings.clearChat(chat, newest, deadline)],
      ['deleteChatWhatsApp', () => settings.deleteChat(chat, newest, deadline)],
    ] as const) {
      if (!wish[name]) continue
      const answer = await request()
      if (answer.kind === 'done') actions.push(name)
      else if (answer.kind !== 'refused' || actions.length === 0) return toFailedOutcome(answer)
      else errors.push(`${name}: ${answer.code}`)
    }
    const jidForms = [...new Set([chat.id, chat.pn, chat.lid])].filter(Boolean)
    for (const [name, buildDeletion] of [
      ['deleteMessagesDB', deleteMessages],
      ['deleteChatDB', deleteChat],
    ] as const) {
      if (!wish[name]) continue
      try {
        await store.commitFor(instance, await buildDeletion(store, instance, jidForms))
        session.storedMedia.announceEnd()
        actions.push(name)
      } catch (error) {
        // The devices have already deleted it, so this is no failure of the whole.
        if (actions.length === 0) throw error
        log.error({ error }, 'failed to delete chat')
        errors.push(`${name}: storage_unavailable`)
      }
    }
    return createDoneOutcome({ response: 'Chat deleted', actions, errors })
  },

  async 'chat.details'({ session, network, deadline, turnDeadline, chats }, { number, preview, inline }) {
    if (!network) return createRefusal('not_connected')
    const { store, instance, groups } = session
    const chat = await network.findKnownIds(number)
    const small = preview || inline
    const answer = await network.account.getPictureUrl(number, small, deadline)
    if (answer.kind !== 'done') return toFailedOutcome(answer)
    const shown = inline ? await toDataUrl(network, answer.value, deadline) : createDoneOutcome(answer.value)
    if (shown.kind !== 'done') return shown
    const jidForms = [...new Set([chat.id, chat.pn, chat.lid])].filter(Boolean)
    const { owner } = session.state
    const known = await network.account.getCachedBlockList(deadline)
    const blocked = known.kind === 'done' ? known.value.flatMap(({ id, pn, lid }) => [id, pn, lid]) : []
    const stored = await findChat(store, instance, jidForms, { owner, own: [], blocked })
    const jid = stored?.id || chat.pn || chat.id
    const timer = (await session.intake.timers.find({ chat, isGroup: isGroup(jid) }))?.seconds ?? 0
    const [username] = (await findUsernames(store, instance, jidForms)).values()
    const shared = isGroup(number) ? [] : await groups.listSharedGroups(jidForms, turnDeadline)
    const common = shared.filter((group) => chats?.includes(group.jid) !== false)
    return createDoneOutcome({
      ...(stored ??
        buildUnstoredChat({ jid, lid: chat.lid, owner, name: groups.getName(number), blocked, timer })),
      id: jid,
      lid: stored?.lid || chat.lid,
      ...(username && { username }),
      // Clients that know one field read this one: it has the picture that was requested.
      image: shown.result,
      imagePreview: small ? shown.result : '',
      common_groups: common.map(({ jid, subject }) => `(${subject})${jid}`).join(','),
    })
  },
}

/** A small picture has a few kilobytes; a larger one would delay other frames on the link. */
const PREVIEW_BYTES = 64 * 1024

async function toDataUrl(network: Connection, url: string, deadline: AbortSignal): Promise<Outcome<string>> {
  if (!url) return createDoneOutcome('')
  const answer = await network.account.downloadPicture(url, PREVIEW_BYTES, deadline)
  if (answer.kind !== 'done') return createRefusal('media_unavailable', 'The picture could not be fetched.')
  const kind = detectImageKind(answer.value)
  if (!kind) return createRefusal('media_unavailable', 'The file is not a picture.')
  return createDoneOutcome(`data:image/${kind};base64,${Buffer.from(answer.value).toString('base64')}`)
}

interface UnstoredChat {
  jid: string
  lid: string
  owner: string
  name: string
  blocked: string[]
  timer: number
}

/** The record of a chat that is not stored. */
function buildUnstoredChat({ jid, lid, owner, name, blocked, timer }: UnstoredChat): ChatRecord {
  const [phone, group] = [extractPhone(jid), isGroup(jid)]
  return {
    id: jid,
    lid,
    name,
    isGroup: group,
    unreadCount: 0,
    lastMessageId: '',
    lastMessageTimestamp: 0,
    lastMessage: emptyLastMessage,
    wa_chatid: jid,
    wa_chatlid: lid,
    wa_fastid: `${owner}:${jid}`,
    wa_name: name,
    wa_contactName: '',
    wa_isGroup: group,
    wa_unreadCount: 0,
    wa_lastMsgTimestamp: 0,
    wa_lastMessageTextVote: '',
    wa_lastMessageType: '',
    wa_lastMessageSender: '',
    wa_label: [],
    wa_archived: false,
    wa_isPinned: false,
    wa_muteEndTime: 0,
    ephemeral: timer,
    wa_isBlocked: blocked.includes(jid),
    phone: phone && `+${phone}`,
    image: '',
  }
}

async function changeSetting(
  { session, network, deadline }: ActionContext,
  number: string,
  response: string,
  ask: (network: Connection, chat: Person) => Promise<{ answer: NetworkOutcome; now: StoredChange }>,
): Promise<Outcome<{ response: string }>> {
  if (!network) return createRefusal('not_connected')
  const notReady = await checkSettingsReady(network, deadline)
  if (notReady) return notReady
  const { answer, now } = await ask(network, await network.findKnownIds(number))
  if (answer.kind !== 'done') return toFailedOutcome(answer)
  await session.settings.applyChanges(now)
  return createDoneOutcome({ response })
}

async function findNewestMessage(
  session: Session,
  { id, pn, lid }: Person,
): Promise<NewestMessage | undefined> {
  const chatids = [...new Set([id, pn, lid])].filter(Boolean)
  const [newest] = await listMessages(session.store, session.instance, { chatids }, { limit: 1, offset: 0 })
  if (!newest) return undefined
  const { messageid, fromMe, sender, isGroup, messageTimestamp: at } = newest
  return { messageid, fromMe, sender, isGroup, at }
}
