// Messages as callers send and see them (open points, "Messages and chats").

import * as z from 'zod'
import { parseNumber } from '../jid.ts'
import { limits } from './version.ts'

/** A phone number or an id; answers the id. */
export const NetworkNumber = z.string().transform((text, context) => {
  const jid = parseNumber(text)
  if (jid) return jid
  context.addIssue('digits with country code (8 to 15), or an id ending in @s.msgnet.net, @g.us or @lid')
  return z.NEVER
})

/** Fields that every send route takes. `delay` in milliseconds, shown as typing. */
const sendOptions = {
  replyid: z.string().max(256).optional(),
  mentions: z.array(NetworkNumber).max(1024).optional(),
  delay: z.int().min(0).max(limits.sendDelayMs).optional(),
  readchat: z.boolean().optional(),
  track_id: z.string().max(256).optional(),
  track_source: z.string().max(256).optional(),
}

export const SendText = z.object({
  number: NetworkNumber,
  text: z.string().min(1).max(limits.textLength),
  linkPreview: z.boolean().optional(),
  ...sendOptions,
})

export const ChatRead = z.object({ number: NetworkNumber, read: z.boolean().default(true) })

export type MessageStatus = '' | 'Pending' | 'Sent' | 'Delivered' | 'Read' | 'Failed' | 'Deleted'

/** `id` is `owner:messageid`; `messageTimestamp` in milliseconds; a field that does not apply is empty, never absent. */
export interface MessageRecord {
  id: string
  messageid: string
  chatid: string
  chatlid: string
  sender: string
  senderName: string
  sender_pn: string
  sender_lid: string
  isGroup: boolean
  groupName: string
  fromMe: boolean
  messageType: string
  type: string
  mediaType: string
  messageTimestamp: number
  status: MessageStatus
  text: string
  quoted: string
  edited: string
  reaction: string
  vote: string
  buttonOrListid: string
  owner: string
  source: string
  wasSentByApi: boolean
  fileURL: string
  track_id: string
  track_source: string
  error: string
  content: Record<string, unknown>
}

export const emptyMessage: MessageRecord = {
  id: '',
  messageid: '',
  chatid: '',
  chatlid: '',
  sender: '',
  senderName: '',
  sender_pn: '',
  sender_lid: '',
  isGroup: false,
  groupName: '',
  fromMe: false,
  messageType: '',
  type: '',
  mediaType: '',
  messageTimestamp: 0,
  status: '',
  text: '',
  quoted: '',
  edited: '',
  reaction: '',
  vote: '',
  buttonOrListid: '',
  owner: '',
  source: '',
  wasSentByApi: false,
  fileURL: '',
  track_id: '',
  track_source: '',
  error: '',
  content: {},
}
