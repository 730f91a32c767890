// Looks for messages, chats and people, page by page; and for the file of a message.

import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import type * as chats from '@msgnet/shared/contract/responses/chat-responses.ts'
import type { ChatDetails, Contact } from '@msgnet/shared/contract/responses/setting-responses.ts'
import { formatDateTime } from '@msgnet/shared/date-time.ts'
import { isGroup, isLid } from '@msgnet/shared/jid.ts'
import type { Context } from 'hono'
import { callContract, openContract } from '../http/call-contract.ts'
import type { Row, Rows } from '../http/dialect-rows.ts'
import { type Fields, readObject, readText } from '../http/read-fields.ts'
import { renameBase64 } from '../media/base64-response.ts'
import { nameByType } from '../media/file-types.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { findMediaType } from './evolution-content.ts'
import { createInvalid, EvolutionRefusal } from './evolution-errors.ts'
import { orderIds, toOuterId, toOwnId, toSeconds } from './evolution-ids.ts'
import { toEvolutionMessage } from './evolution-message.ts'

type C = Context<EdgeEnv>

/** `offset` of Evolution is the size of a page, the first of which is 1; `take` and `skip` are of other versions. */
function readPage({ page, offset, take, skip }: Fields, max: number, usual = max) {
  const limit = Math.min(Math.max(Number(take ?? offset) || usual, 1), max)
  const number = Math.max(Number(page) || 1, 1)
  return { limit, number, offset: Math.max(Number(skip), 0) || limit * (number - 1) }
}

/** The n8n node writes only the ending of an id if its user leaves it empty. */
const readJid = (...ids: unknown[]): string =>
  toOwnId(ids.map(readText).find((id) => id.includes('@') && !id.startsWith('@')))

/** Of the messages before this page only their number is known, and whether there are more behind it. */
async function findMessages(c: C, fields: Fields) {
  const where = readObject(fields.where)
  const { id, remoteJid, fromMe } = { ...where, ...readObject(where.key) } as Fields
  if (where.messageTimestamp) throw createInvalid('instance.where.messageTimestamp is not supported')
  const { limit, offset, number } = readPage(fields, 100, 50)
  const body = {
    ...(id ? { id } : {}),
    ...(readJid(remoteJid) && { chatid: readJid(remoteJid) }),
    ...(typeof fromMe === 'boolean' && { fromMe }),
    ...(where.messageType ? { messageType: where.messageType } : {}),
  }
  const found = await callContract<chats.MessagePage>(c, 'findMessages', { body: { ...body, limit, offset } })
  const records = found.messages.map((record) => describeFound(record, c.var.instance.id))
  const more = found.hasMore ? 1 : 0
  const total = offset + records.length + more
  return { messages: { total, pages: number + more, currentPage: number, records } }
}

function describeFound(record: MessageRecord, instanceId: string) {
  const message = toEvolutionMessage(record, instanceId)
  return { id: record.messageid, ...message, MessageUpdate: [{ status: message.status }] }
}

/** The present state of a message; those before it are not kept. */
async function findStatus(c: C, { where, ...page }: Fields) {
  const { keyId: wantedId, id: otherId, remoteJid: chat } = readObject(where)
  const wanted = { where: { id: wantedId || otherId, remoteJid: chat }, ...page }
  const { messages } = await findMessages(c, wanted)
  return messages.records.map(({ id, key: { id: keyId, remoteJid, fromMe }, status, instanceId }) => {
    return { id, messageId: id, keyId, remoteJid, fromMe, status, instanceId }
  })
}

/** It is sent while it comes. */
async function getBase64(c: C, body: Fields): Promise<Response> {
  if (body.convertToMp4 === true) throw createInvalid('instance.convertToMp4 must be false')
  const id = readText(readObject(readObject(body.message).key).id)
  if (id === '') throw createInvalid('instance.message.key requires property "id"')
  const { content, text, ...record } = await findMediaMessage(c, id)
  const { mimetype, fileName, fileLength, width, height } = content
  const head = {
    mediaType: findMediaType({ ...record, content, text }),
    fileName: fileName ?? nameByType(id, `${mimetype ?? ''}`),
    caption: text,
    size: { fileLength: fileLength ?? null, height: height ?? null, width: width ?? null },
    mimetype,
    buffer: null,
  }
  return renameBase64(
    await openContract(c, 'downloadMessage', { body: { id, return_base64: true } }),
    head,
    201,
  )
}

async function findMediaMessage(c: C, id: string): Promise<MessageRecord> {
  const [record] = (await callContract<chats.MessagePage>(c, 'findMessages', { body: { id } })).messages
  if (!record) throw new EvolutionRefusal(400, ['Message not found'])
  if (record.type !== 'media') throw new EvolutionRefusal(400, ['The message is not of the media type'])
  return record
}

async function findChats(c: C, fields: Fields) {
  const where = readObject(fields.where)
  const jid = readJid(where.remoteJid, where.id)
  const { limit, offset } = readPage(fields, 100)
  const body = { limit, offset, ...(jid && { [isLid(jid) ? 'wa_chatlid' : 'wa_chatid']: jid }) }
  const { chats } = await callContract<chats.ChatPage>(c, 'findChats', { body })
  return chats.map(describeChat)
}

function describeChat(chat: chats.ChatRecord) {
  const { id, lid, wa_name, wa_lastMessageTextVote: conversation, lastMessageTimestamp } = chat
  const { lastMessageId, lastMessage, unreadCount } = chat
  const remoteJid = orderIds(id, '', lid).id
  const { fromMe, senderName, type } = lastMessage
  return {
    id: remoteJid,
    remoteJid,
    pushName: wa_name || null,
    profilePicUrl: null,
    updatedAt: formatDateTime(lastMessageTimestamp),
    unreadCount,
    lastMessage: type
      ? {
          key: { id: lastMessageId, remoteJid, fromMe },
          pushName: senderName,
          message: { conversation },
          messageType: chat.wa_lastMessageType,
          messageTimestamp: toSeconds(lastMessageTimestamp),
        }
      : null,
  }
}

const describePerson = (jid: string, name: string, instanceId: string, picture = '') => ({
  id: toOuterId(jid),
  remoteJid: toOuterId(jid),
  pushName: name || null,
  profilePicUrl: picture || null,
  isGroup: isGroup(jid),
  isSaved: name !== '',
  type: isGroup(jid) ? 'group' : 'contact',
  instanceId,
})

const showChat = (c: C, number: string) => callContract<ChatDetails>(c, 'showChat', { body: { number } })

/** One is asked for with its picture. */
async function findContacts(c: C, fields: Fields) {
  const { id: instanceId } = c.var.instance
  const where = readObject(fields.where)
  const jid = readJid(where.remoteJid, where.id)
  if (jid !== '') {
    const { id, wa_name, image } = await showChat(c, jid)
    return [describePerson(id, wa_name, instanceId, image)]
  }
  const { limit, offset } = readPage(fields, 1000)
  const body = { limit, offset, contactScope: 'all' }
  const { contacts } = await callContract<{ contacts: Contact[] }>(c, 'findContacts', { body })
  return contacts.map((contact) => describePerson(contact.jid, contact.contact_name, instanceId))
}

/** What the network tells of others has neither their about text nor their kind of account. */
async function fetchProfile(c: C, { number }: Fields) {
  const own = toOwnId(number)
  const [check] = await callContract<chats.NumberCheck[]>(c, 'checkNumbers', { body: { numbers: [own] } })
  const wuid = toOuterId(check?.jid || own)
  if (!check?.isInMsgnet) return { wuid, numberExists: false, name: null, picture: null, status: null }
  const { wa_name, image } = await showChat(c, own)
  const name = wa_name || check.verifiedName || null
  return { wuid, numberExists: true, name, picture: image || null, status: null, isBusiness: null }
}

const describePicture = ({ image }: ChatDetails, { number }: Fields) => ({
  wuid: toOuterId(toOwnId(number)),
  profilePictureUrl: image || null,
})

const describeUpdate = (data: unknown) => ({ update: 'success', data })

const toRemoval = () => ({ image: 'remove' })
const privacy = 'readreceipts profile status online last groupadd'

const PAGE = 'limit=offset offset=page'

export const findRows: Rows = {
  'POST 200 /chat/findMessages': [findMessages, PAGE],
  'POST 200 /chat/findStatusMessage': [findStatus, PAGE],
  'POST /chat/getBase64FromMediaMessage': [getBase64],
  'POST 200 /chat/findChats': [findChats, PAGE],
  'POST 200 /chat/findContacts': [findContacts, PAGE],
}

/** Both names of each are in use. */
export const profileRows: Rows = Object.fromEntries(
  Object.entries<Row>({
    'POST 200 fetchProfile': [fetchProfile, 'numbers=number!'],
    'POST 200 fetchProfilePictureUrl': ['showChat', 'number:jid!', describePicture],
    'POST 200 updateProfileName': ['renameProfile', 'name:text!', describeUpdate],
    'POST 200 updateProfileStatus': ['changeAbout', 'about=status:text', describeUpdate],
    'POST|PUT 200 updateProfilePicture': ['changeProfileImage', 'image=picture:file!', describeUpdate],
    'DELETE 200 removeProfilePicture': ['changeProfileImage', '', describeUpdate, toRemoval],
    'GET 200 fetchPrivacySettings': ['getPrivacy'],
    'POST|PUT 200 updatePrivacySettings': ['changePrivacy', privacy, describeUpdate],
  }).map(([key, row]) => [key.replace(/(\w+)$/, '/chat/$1 /profile/$1'), row]),
)
