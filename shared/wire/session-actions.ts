// The table of actions that a session can do, with the input and the result of each. Edge and host both use it.

import * as z from 'zod'
import * as account from '../contract/account-requests.ts'
import { SendAlbum } from '../contract/album-requests.ts'
import { RejectCall } from '../contract/call-requests.ts'
import * as groups from '../contract/group-requests.ts'
import { HistoryMode } from '../contract/history.ts'
import { type Identities, ResolveIdentity } from '../contract/identity-requests.ts'
import { Kind } from '../contract/instance-requests.ts'
import { Instant } from '../contract/instant.ts'
import { LinkPreview } from '../contract/link-preview.ts'
import { SendMedia } from '../contract/media-requests.ts'
import { SendMenu } from '../contract/menu-requests.ts'
import * as requests from '../contract/message-action-requests.ts'
import { MessageId } from '../contract/message-action-requests.ts'
import { ChatRead, type MessageRecord, SendText } from '../contract/message-requests.ts'
import { PasskeyAssertion } from '../contract/passkey-requests.ts'
import type {
  BlockList,
  MarkedRead,
  Privacy,
  ProfileAbout,
  ProfileAboutChanged,
  ProfileNamed,
} from '../contract/responses/account-responses.ts'
import type { CallList } from '../contract/responses/call-responses.ts'
import type {
  ChatSubscribed,
  Deleted,
  FoundChats,
  FoundMessages,
  NumberChecks,
  TextResponse,
} from '../contract/responses/chat-responses.ts'
import type {
  GroupRecord,
  GroupWithResponse,
  InviteReset,
  JoinRequests,
  ParticipantsResult,
} from '../contract/responses/group-responses.ts'
import type { ImportResult } from '../contract/responses/instance-responses.ts'
import type { AccountLimits } from '../contract/responses/limit-responses.ts'
import type { AlbumSent } from '../contract/responses/message-responses.ts'
import type * as answered from '../contract/responses/setting-responses.ts'
import { type ScheduledCancelled, type ScheduledList, ScheduledPage } from '../contract/scheduled-list.ts'
import * as settings from '../contract/setting-requests.ts'
import { statusFields } from '../contract/status-requests.ts'
import type { SessionState } from './session-state.ts'

/** The edge makes `messageid`; the host sends the message under this id. */
const messageIdField = { messageid: z.string().min(1) }

/** Of a request; the session gets what the edge made of them. */
const previewFields = {
  linkPreview: true,
  linkPreviewTitle: true,
  linkPreviewDescription: true,
  linkPreviewImage: true,
} as const

/** The actions that can be scheduled. */
const schedulableActions = [
  ...(['message.sendText', 'message.sendMedia', 'message.sendMenu'] as const),
  ...(['message.sendLocation', 'message.sendContact', 'message.sendEvent', 'message.sendStatus'] as const),
] as const
export type SchedulableAction = (typeof schedulableActions)[number]

/** What counts for SEND_RATE. A message with `sendAt` does when it is due, and not when it is scheduled. */
const sendActions: readonly ActionName[] = [
  ...schedulableActions,
  ...(['message.forward', 'message.react', 'message.edit', 'message.delete', 'message.pin'] as const),
  'chat.ephemeral',
]

/** How many sends an act counts as: an album is a message for each of its files, and the one that holds them. */
export function countSends(action: ActionName, input: unknown): number {
  if (action === 'message.sendAlbum') return 1 + (input as ActionInput<'message.sendAlbum'>).files.length
  return sendActions.includes(action) ? 1 : 0
}

/** They have no effect, so nothing of them is ever unknown: there is an answer or none. */
const questions: readonly ActionName[] = [
  ...(['chat.check', 'chat.find', 'chat.details', 'contact.list', 'label.list', 'call.list'] as const),
  ...(['group.list', 'group.info', 'group.inviteInfo', 'group.requests', 'session.export'] as const),
  ...([
    'account.limits',
    'account.identities',
    'account.blocklist',
    'account.privacy',
    'account.about',
  ] as const),
  ...(['message.find', 'message.media', 'message.download', 'message.listScheduled'] as const),
]

export const isQuestion = (action: ActionName): boolean => questions.includes(action)

/** The URL of the proxy that the session connects by; empty for none. */
const proxy = z.string()

/** The kinds of stored data that belong to the caller. */
export const exportedKinds = [
  ...(['message', 'scheduled', 'chat', 'chatSettings', 'group'] as const),
  ...(['contact', 'label', 'chatLabel', 'call', 'blocked'] as const),
] as const
export type ExportedKind = (typeof exportedKinds)[number]

// The edge and the host parse an input with the same schemas, so each transform must leave its own output unchanged.
export const actionInputs = {
  /** Opens the session, or returns its present state. `phone` (digits) asks for a pairing code instead of QR codes. */
  'session.connect': z.object({
    kind: Kind,
    proxy,
    phone: z.string().optional(),
    /** Of a new linking; absent: that of the present one. */
    history: HistoryMode.optional(),
    waitMs: z.int().positive(),
  }),
  /** Sends the passkey that the network requests before it links the device. */
  'session.passkey': z.object({ assertion: PasskeyAssertion, waitMs: z.int().positive() }),
  /** Closes the socket and opens it again with the same credential. */
  'session.restart': z.object({ kind: Kind, proxy, waitMs: z.int().positive() }),
  /** Used from the next connection on. */
  'session.proxy': z.object({ kind: Kind, proxy }),
  /** Unlinks the device and forgets its credential. */
  'session.disconnect': z.object({
    /** How long to wait for the network's answer; after that the credential is deleted without it. */
    waitMs: z.int().positive().optional(),
  }),
  /** The same, and deletes everything else that the host stores of the instance. */
  'session.delete': z.object({}),
  /** `parcel`: the lines of a credential (`contract/import-lines.ts`), which becomes that of this instance. */
  'session.import': z.object({ kind: Kind, parcel: z.string() }),
  /** A page of stored items in the order of their ids, after the id `after`. Does not ask the network. */
  'session.export': z.object({ what: z.enum(exportedKinds), after: z.string() }),
  /** `parcel`: the picture of the preview, if that has one. */
  'message.sendText': SendText.omit(previewFields).extend({
    ...messageIdField,
    preview: LinkPreview.optional(),
    parcel: z.string().optional(),
  }),
  'message.sendLocation': requests.SendLocation.extend(messageIdField),
  'message.sendEvent': requests.SendEvent.safeExtend(messageIdField),
  'message.sendContact': requests.SendContact.extend(messageIdField),
  /** `parcel` names the file, which waits at the edge. */
  'message.sendMedia': SendMedia.omit({ file: true, caption: true }).extend({
    ...messageIdField,
    parcel: z.string(),
  }),
  /** `parcel`: its files, framed one after another. */
  'message.sendAlbum': SendAlbum.extend({
    ...messageIdField,
    files: z.array(z.object({ type: z.enum(['image', 'video']), text: z.string() })),
    parcel: z.string(),
  }),
  /** Describes the file of a message. */
  'message.media': z.object({ id: MessageId, mp3: z.boolean().optional() }),
  /** Uploads the file to the edge, as `parcel`. More than `atMost` bytes are refused with `body_too_large`, also during the upload. */
  'message.download': z.object({
    id: MessageId,
    parcel: z.string(),
    atMost: z.int().positive().optional(),
    /** A sound is converted to MP3. */
    mp3: z.boolean().optional(),
  }),
  /** `parcel`: its pictures, one after another. `imageButton` and the choices in curly brackets have their places. */
  'message.sendMenu': SendMenu.safeExtend({
    ...messageIdField,
    parcel: z.string().default(''),
    pictures: z.array(z.object({ mimetype: z.string(), bytes: z.int().positive() })).default([]),
    /** A text that is answered by number. An older host sends a menu, which has the same text. */
    asText: z.boolean().default(false),
  }),
  /** `parcel` as in `message.sendMedia`; empty for a text. */
  'message.sendStatus': z.object({
    ...statusFields,
    ...messageIdField,
    parcel: z.string(),
    mimetype: z.string(),
  }),
  /** Stores a send until its time. A host that does not know this action refuses it, and sends nothing too early. */
  'message.schedule': z.object({
    ...messageIdField,
    action: z.enum(schedulableActions),
    /** Without its messageid. */
    input: z.record(z.string(), z.unknown()),
    /** The name under which the file waits at the edge; empty for none. */
    parcel: z.string(),
    sendAt: Instant,
  }),
  'message.listScheduled': ScheduledPage,
  'message.cancelScheduled': z.object({ id: MessageId }),
  'message.forward': requests.ForwardMessage.extend(messageIdField),
  'message.react': requests.ReactToMessage.extend(messageIdField),
  'message.delete': requests.DeleteMessage.extend(messageIdField),
  'message.edit': requests.EditMessage.extend(messageIdField),
  'message.pin': requests.PinMessage.extend(messageIdField),
  'message.star': requests.StarMessage,
  'message.presence': requests.SendPresence,
  'message.markread': requests.MarkMessagesRead,
  'message.find': requests.FindMessages,
  /** Asks the phone for messages before one that is stored. */
  'message.recover': requests.RecoverMessage,
  'message.history': requests.RequestHistory.omit({ messageid: true }).extend({
    before: MessageId.optional(),
  }),
  /** A page of groups in the order of their ids, after the id `after`. */
  'group.list': z.object({ force: z.boolean(), participants: z.boolean(), after: z.string() }),
  'group.info': groups.GroupInfo,
  'group.create': groups.GroupCreate,
  'group.updateParticipants': groups.GroupParticipantsChange,
  'group.updateName': groups.GroupNameChange,
  /** `parcel` names the picture, which waits at the edge; the empty string removes the present one. */
  'group.updateImage': groups.GroupNameChange.pick({ groupjid: true }).extend({ parcel: z.string() }),
  'group.leave': groups.GroupOnly,
  'group.join': groups.GroupInvite,
  'group.inviteInfo': groups.GroupInvite,
  'group.resetInviteCode': groups.GroupOnly,
  'group.updateDescription': groups.GroupDescriptionChange,
  'group.updateAnnounce': groups.GroupAnnounceChange,
  'group.updateLocked': groups.GroupLockedChange,
  'group.updateSettings': groups.GroupSettingsChange,
  'group.requests': groups.GroupOnly,
  'account.limits': z.object({}),
  'account.identities': ResolveIdentity,
  'account.block': account.BlockPerson,
  'account.blocklist': z.object({}),
  'account.privacy': z.object({}),
  'account.changePrivacy': account.PrivacyChange,
  'account.presence': account.OwnPresence,
  'account.rename': account.ProfileName,
  'account.about': z.object({}),
  'account.updateAbout': account.AboutChange,
  /** `parcel` as in `group.updateImage`. */
  'account.updateImage': z.object({ parcel: z.string() }),
  'call.reject': RejectCall,
  'call.list': z.object({}),
  'chat.read': ChatRead,
  'chat.subscribe': requests.SubscribeChat,
  'chat.find': requests.FindChats,
  'chat.check': requests.CheckNumbers,
  'chat.archive': settings.ChatArchive,
  'chat.pin': settings.ChatPin,
  'chat.mute': settings.ChatMute,
  'chat.ephemeral': settings.ChatEphemeral.extend(messageIdField),
  'chat.delete': settings.ChatDelete,
  'chat.details': settings.ChatDetailsRequest,
  'contact.list': settings.ContactsPage,
  'contact.add': settings.ContactAdd,
  'contact.remove': settings.ContactRemove,
  'label.list': z.object({}),
  'label.edit': settings.LabelEdit,
  'label.chat': settings.ChatLabelsRequest,
} as const

export interface ActionResults {
  'session.connect': SessionState
  'session.passkey': SessionState
  'session.restart': SessionState
  'session.proxy': { kept: true }
  'session.disconnect': { unlinked: boolean; state: SessionState }
  'session.delete': { unlinked: boolean }
  'session.import': { state: SessionState; imported: ImportResult['imported'] }
  'session.export': { rows: Record<string, unknown>[]; next: string | null }
  'message.sendText': MessageRecord
  'message.sendLocation': MessageRecord
  'message.sendEvent': MessageRecord
  'message.sendContact': MessageRecord
  'message.sendMedia': MessageRecord
  'message.sendAlbum': AlbumSent
  'message.media': { mimetype: string; fileName: string; fileLength: number }
  'message.download': { brought: true }
  'message.sendMenu': MessageRecord
  'message.sendStatus': MessageRecord
  'message.schedule': MessageRecord
  'message.listScheduled': ScheduledList
  'message.cancelScheduled': ScheduledCancelled
  'message.forward': MessageRecord
  'message.react': MessageRecord
  'message.delete': Deleted
  'message.edit': MessageRecord
  'message.pin': MessageRecord
  'message.star': TextResponse
  'message.presence': { shown: true }
  'message.markread': MarkedRead
  'message.find': FoundMessages
  'message.recover': { requested: true }
  'message.history': { requested: true }
  'group.list': { groups: GroupRecord[]; next: string | null }
  'group.info': GroupRecord
  'group.create': GroupRecord
  'group.updateParticipants': ParticipantsResult
  'group.updateName': { renamed: true }
  'group.updateImage': { pictureId: string }
  'group.leave': { left: true }
  'group.join': GroupWithResponse
  'group.inviteInfo': GroupRecord
  'group.resetInviteCode': InviteReset
  'group.updateDescription': GroupWithResponse
  'group.updateAnnounce': GroupWithResponse
  'group.updateLocked': GroupWithResponse
  'group.updateSettings': GroupWithResponse
  'group.requests': JoinRequests
  'account.limits': AccountLimits
  'account.identities': Identities
  'account.block': BlockList
  'account.blocklist': BlockList
  'account.privacy': Privacy
  'account.changePrivacy': Privacy
  'account.presence': { shown: true }
  'account.rename': ProfileNamed
  'account.about': ProfileAbout
  'account.updateAbout': ProfileAboutChanged
  'account.updateImage': { pictureId: string }
  'call.reject': { rejected: true }
  'call.list': CallList
  'chat.read': { marked: number }
  'chat.subscribe': ChatSubscribed
  'chat.find': FoundChats
  'chat.check': NumberChecks
  'chat.archive': TextResponse
  'chat.pin': TextResponse
  'chat.mute': TextResponse
  'chat.ephemeral': TextResponse
  'chat.delete': answered.ChatDeleted
  'chat.details': answered.ChatDetails
  'contact.list': answered.ContactsFound
  'contact.add': answered.ContactAdded
  'contact.remove': answered.ContactRemoved
  'label.list': answered.Labels
  'label.edit': TextResponse
  'label.chat': answered.ChatLabelled
}

export type ActionName = keyof typeof actionInputs
export const actionNames = Object.keys(actionInputs) as [ActionName, ...ActionName[]]
export type ActionInput<A extends ActionName> = z.infer<(typeof actionInputs)[A]>
export type ActionResult<A extends ActionName> = ActionResults[A]

/** They can run again without a second effect, so a host does not write them to its journal; nor does a route say it again. */
const readOnlyActions: readonly ActionName[] = [
  ...(['message.find', 'message.listScheduled', 'chat.find', 'chat.check'] as const),
  ...(['chat.details', 'contact.list', 'label.list'] as const),
  ...(['account.blocklist', 'account.privacy', 'account.limits', 'account.identities'] as const),
  'session.export',
  ...(['group.list', 'group.info', 'group.inviteInfo', 'group.requests', 'account.about'] as const),
]
export const isReadOnly = (action: ActionName): boolean => readOnlyActions.includes(action)

/** They change what the host stores, or its connection, before anything leaves for the network, or without that. */
const storingActions: readonly ActionName[] = [
  ...(['session.connect', 'session.passkey', 'session.restart', 'session.proxy'] as const),
  ...([
    'session.import',
    'session.disconnect',
    'session.delete',
    'message.schedule',
    'message.cancelScheduled',
  ] as const),
  ...(['chat.delete', 'chat.subscribe'] as const),
]
export const hasOwnEffects = (action: ActionName): boolean => storingActions.includes(action)

/** The most characters of a result that is a list, so that it fits into a frame. The rest goes to the next page. */
export const MAX_RESULT_CHARACTERS = 200_000
