// Settings on a phone: changes chats, contacts, labels and the name, and shows the changes of all devices.
import { Hono } from 'hono'
import * as z from 'zod'
import { readSettings } from '../app-state/read-settings.ts'
import { formatAddress } from '../network/address.ts'
import { isGroupChat } from '../network/message-chats.ts'
import type { Network } from '../network/simulated-network.ts'
import { type Setting, writeSetting } from '../phones/write-setting.ts'
import type { Account } from '../store/account-table.ts'
import { Name, readBody, requireChat, requireMessage, requirePhone } from './control-body.ts'

const chat = { chat: Name, addressing: z.enum(['pn', 'lid']).default('pn') }
const LabelId = z.string().regex(/^\d{1,4}$/, 'one to four digits')

const Change = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('archive'), ...chat, archived: z.boolean() }),
  z.strictObject({ action: z.literal('pin'), ...chat, pinned: z.boolean() }),
  /** Until a time in milliseconds, for ever (-1) or no more (null). */
  z.strictObject({ action: z.literal('mute'), ...chat, until: z.int().min(-1).nullable() }),
  z.strictObject({ action: z.literal('read'), ...chat, read: z.boolean() }),
  /** By the id of a message of the chat. */
  z.strictObject({ action: z.literal('star'), ...chat, message: z.string().min(1), starred: z.boolean() }),
  z.strictObject({ action: z.enum(['clear', 'delete']), ...chat }),
  /** Without a name the contact is removed. */
  z.strictObject({
    action: z.literal('contact'),
    ...chat,
    name: z.string().min(1).max(200).nullable(),
    firstName: z.string().max(200).optional(),
  }),
  /** A person whose number the phone does not know. */
  z.strictObject({ action: z.literal('lid_contact'), chat: Name, name: z.string().min(1).max(200) }),
  z.strictObject({
    action: z.literal('label'),
    labelid: LabelId,
    name: z.string().min(1).max(100),
    color: z.int().min(0).max(19).default(0),
    deleted: z.boolean().default(false),
  }),
  z.strictObject({ action: z.literal('label_chat'), ...chat, labelid: LabelId, labeled: z.boolean() }),
  z.strictObject({ action: z.literal('name'), name: z.string().min(1).max(100) }),
])
type Change = z.infer<typeof Change>

export function createAppStateRoutes(network: Network) {
  return new Hono()
    .get('/:number/settings', (c) =>
      c.json(readSettings(network, requirePhone(network, c.req.param('number')))),
    )

    .post('/:number/settings', async (c) => {
      const account = requirePhone(network, c.req.param('number'))
      const change = await readBody(c, Change)
      const setting = buildSetting(network, account, change)
      return c.json({ collection: setting.collection, version: writeSetting(network, account, setting) })
    })
}

type NamedChat = { chat: string; addressing: 'pn' | 'lid' }

function findJid(network: Network, { chat, addressing }: NamedChat): string {
  const named = requireChat(network, chat)
  return isGroupChat(named) ? named.jid : formatAddress(named, addressing)
}

/** Collections, indexes and forms as every client of the network writes them. */
function buildSetting(network: Network, account: Account, change: Change): Setting {
  switch (change.action) {
    case 'archive': {
      const value = { archiveChatAction: { archived: change.archived, messageRange: {} } }
      return { collection: 'regular_low', index: ['archive', findJid(network, change)], value, form: 3 }
    }
    case 'pin': {
      const value = { pinAction: { pinned: change.pinned } }
      return { collection: 'regular_low', index: ['pin_v1', findJid(network, change)], value, form: 5 }
    }
    case 'mute': {
      const value = { muteAction: { muted: change.until !== null, muteEndTimestamp: change.until } }
      return { collection: 'regular_high', index: ['mute', findJid(network, change)], value, form: 2 }
    }
    case 'read': {
      const value = { markChatAsReadAction: { read: change.read, messageRange: {} } }
      return {
        collection: 'regular_low',
        index: ['markChatAsRead', findJid(network, change)],
        value,
        form: 3,
      }
    }
    case 'star':
      return buildStar(network, account, change)
    case 'clear':
    case 'delete':
      return buildDeletion(network, change)
    case 'contact':
      return buildContactSetting(network, change)
    case 'lid_contact':
      return buildLidContactSetting(network, change)
    case 'label': {
      const { labelid, name, color, deleted } = change
      const value = { labelEditAction: { name, color, deleted } }
      return { collection: 'regular', index: ['label_edit', labelid], value, form: 3 }
    }
    case 'label_chat': {
      const value = { labelAssociationAction: { labeled: change.labeled } }
      const index = ['label_jid', change.labelid, findJid(network, change)]
      return { collection: 'regular', index, value, form: 3 }
    }
    case 'name': {
      const value = { pushNameSetting: { name: change.name } }
      return { collection: 'critical_block', index: ['setting_pushName'], value, form: 1 }
    }
  }
}

function buildDeletion(network: Network, change: Change & { action: 'clear' | 'delete' }): Setting {
  const jid = findJid(network, change)
  const shared = { collection: 'regular_high' as const, form: 6 }
  return change.action === 'clear'
    ? { ...shared, index: ['clearChat', jid, '1', '0'], value: { clearChatAction: { messageRange: {} } } }
    : { ...shared, index: ['deleteChat', jid, '1'], value: { deleteChatAction: { messageRange: {} } } }
}

function buildStar(
  network: Network,
  account: Account,
  { message: id, starred, ...named }: Change & { action: 'star' },
): Setting {
  const message = requireMessage(network, id)
  const own = message.sender === account.number
  const author = network.store.accounts.find(message.sender)
  const inGroup = isGroupChat(requireChat(network, named.chat))
  const by = inGroup && !own && author !== undefined ? formatAddress(author, message.form) : '0'
  const index = ['star', findJid(network, named), id, own ? '1' : '0', by]
  return { collection: 'regular_high', index, value: { starAction: { starred } }, form: 2 }
}

function buildContactSetting(
  network: Network,
  { name, firstName, ...named }: Change & { action: 'contact' },
): Setting {
  const account = requirePhone(network, named.chat)
  const index = ['contact', formatAddress(account, named.addressing)]
  const shared = { collection: 'critical_unblock_low' as const, index, form: 2 }
  if (name === null) return { ...shared, value: { contactAction: {} }, operation: 'remove' }
  const contactAction = {
    fullName: name,
    firstName: firstName ?? name.split(' ')[0] ?? name,
    lidJid: formatAddress(account, 'lid'),
    saveOnPrimaryAddressbook: true,
    ...(account.username && { username: account.username }),
  }
  return { ...shared, value: { contactAction } }
}

function buildLidContactSetting(
  network: Network,
  { chat, name }: Change & { action: 'lid_contact' },
): Setting {
  const account = requirePhone(network, chat)
  const lidContactAction = {
    fullName: name,
    firstName: name.split(' ')[0] ?? name,
    ...(account.username && { username: account.username }),
  }
  const index = ['lid_contact', formatAddress(account, 'lid')]
  return { collection: 'critical_unblock_low', index, value: { lidContactAction }, form: 1 }
}
