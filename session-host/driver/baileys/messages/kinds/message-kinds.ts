// The table of all kinds of messages: the field that a message is in, and its reader. A field of a later library fails the type check here.

import type { proto } from 'baileys'
import { type WrapperName, wrapperNames } from '../message-wrappers.ts'
import { changeKinds } from './change-kinds.ts'
import { eventKinds } from './event-kinds.ts'
import { fileKinds } from './file-kinds.ts'
import { inviteKinds } from './invite-kinds.ts'
import type { Kind } from './kind-reading.ts'
import { menuKinds } from './menu-kinds.ts'
import { paymentKinds } from './payment-kinds.ts'
import { pollKinds } from './poll-kinds.ts'
import { statusKinds } from './status-kinds.ts'
import { textKinds } from './text-kinds.ts'

/** They hold a message: `message-wrappers.ts` takes it out. */
const wrapperKinds = Object.fromEntries(wrapperNames.map((name) => [name, 'wrapper'])) as Record<
  WrapperName,
  'wrapper'
>

/** Clients tell them each other; people see nothing of them. */
const protocolKinds = {
  chat: 'protocol',
  fastRatchetKeySenderKeyDistributionMessage: 'protocol',
  messageContextInfo: 'protocol',
  senderKeyDistributionMessage: 'protocol',
  stickerSyncRmrMessage: 'protocol',
} as const

export const messageKinds: Record<keyof proto.IMessage, Kind> = {
  ...textKinds,
  ...fileKinds,
  ...menuKinds,
  ...pollKinds,
  ...eventKinds,
  ...paymentKinds,
  ...inviteKinds,
  ...statusKinds,
  ...changeKinds,
  ...wrapperKinds,
  ...protocolKinds,
  /** The content was too large, or is not for this device. */
  placeholderMessage: () => ({ type: 'other', truncated: true }),
}
