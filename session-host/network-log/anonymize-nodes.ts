// Anonymizes the network's nodes before they are stored: people, contents and keys are replaced, the protocol stays.

import { createHmac, randomBytes } from 'node:crypto'
import type { LoggedNode, Outline } from '@msgnet/shared/network-log-lines.ts'
import { LRUCache } from 'lru-cache'

/** A node as the library has it, or as it is read from the library's own line. */
export interface PlainNode {
  tag: string
  attrs: Record<string, string | undefined>
  content?: PlainNode[] | string | Uint8Array | Outline | undefined
}

/** The list of an account's groups may have 500,000 nodes. */
const MAX_NODES = 2000

/** Names of people and groups, and the keys of usernames. */
const NAMES = new Set([
  'notify',
  'subject',
  'name',
  'display_name',
  'short',
  'push_name',
  'pushname',
  'verified_name',
  'username',
  'participant_username',
  'recipient_username',
  'peer_recipient_username',
  'pin',
])
/** Their `name` is a word of the protocol. */
const PROTOCOL_NAMED_TAGS = new Set(['collection', 'platform', 'prop', 'feature', 'property', 'category'])
const TIMES = new Set([
  't',
  'ts',
  'timestamp',
  'creation',
  'expiration',
  'expiry',
  'expires',
  's_t',
  's_o',
  'from_time',
])
const IDS = new Set(['id', 'stanza-id', 'call-id', 'sid', 'message_id', 'server_id'])
/** Their values describe what happened, also in words that no dictionary has yet. */
const WORDS = new Set([
  'type',
  'xmlns',
  'class',
  'code',
  'error',
  'reason',
  'action',
  'context',
  'mode',
  'addressing_mode',
  'state',
  'status',
  'media',
  'mediatype',
  'platform',
  'category',
  'edit',
  'decrypt-fail',
  'hostname',
  'fallback_hostname',
  'location',
])

/** All of their attributes describe what happened. */
const ENDINGS = new Set(['error', 'failure', 'stream:error', 'conflict'])

const JID = /^([^@:]*)(:\d{1,5})?@([a-z.]{1,30})$/
const DIGITS = /^\d+$/
const SHORT_NUMBER = /^-?\d{1,6}$/
const TIME = /^\d{1,16}$/
const PROTOCOL_WORD = /^(?!.*\d{7})[\w:./-]{1,60}$/
/** A phone number alone, or in the id of an old group, is no id to store. */
const ID = /^(?!\d{7,}(-\d+)?$)[\w.:-]{1,80}$/

type Kind = 'person' | 'lid' | 'group' | 'name'
const prefixes: Record<Exclude<Kind, 'name'>, string> = { person: '999', lid: '1000', group: '120363' }
const ALIAS_DIGITS = 10
/** A digest takes 20 µs, and most stanzas name the same few people. */
const MAX_ALIASES = 5000

const classifyServer = (server: string): Kind =>
  server === 'g.us' ? 'group' : server.endsWith('lid') ? 'lid' : 'person'

/**
 * `isWord`: whether the protocol's own dictionary has it. The key of the pseudonyms is never stored, so that numbers cannot be found
 * by trying all.
 */
export function createAnonymizer(isWord: (text: string) => boolean): (node: PlainNode) => LoggedNode {
  const key = randomBytes(32)
  const aliases = new LRUCache<string, string>({ max: MAX_ALIASES })

  function getAlias(kind: Kind, value: string): string {
    const name = `${kind}:${value}`
    const known = aliases.get(name) ?? createAlias(kind, name)
    aliases.set(name, known)
    return known
  }

  function createAlias(kind: Kind, name: string): string {
    const digest = createHmac('sha256', key).update(name).digest()
    if (kind === 'name') return `name-${digest.toString('hex', 0, 4)}`
    const digits = (digest.readBigUInt64BE() % 10n ** BigInt(ALIAS_DIGITS)).toString()
    return prefixes[kind] + digits.padStart(ALIAS_DIGITS, '0')
  }

  function replaceJid(user: string, device: string, server: string): string {
    if (user === '' || user.length === 1 || isWord(user)) return `${user}${device}@${server}`
    // An agent stands after a dot: `number.0:device`.
    const [, bare = user, agent = ''] = /^(\d+)([._]\d{1,3})$/.exec(user) ?? []
    return `${getAlias(classifyServer(server), bare)}${agent}${device}@${server}`
  }

  function replaceValue(tag: string, name: string, value: string): string {
    const [jid, user = '', device = '', server = ''] = JID.exec(value) ?? []
    if (jid) return replaceJid(user, device, server)
    if (NAMES.has(name) && !PROTOCOL_NAMED_TAGS.has(tag)) return value && getAlias('name', value)
    if (TIMES.has(name) && TIME.test(value)) return value
    if (IDS.has(name) && ID.test(value)) return value
    if (value === '' || SHORT_NUMBER.test(value) || isWord(value)) return value
    if ((WORDS.has(name) || ENDINGS.has(tag)) && PROTOCOL_WORD.test(value)) return value
    if (DIGITS.test(value)) return getAlias(tag === 'group' ? 'group' : 'person', value)
    return `(text ${value.length})`
  }

  return (stanza) => {
    let left = MAX_NODES
    const replace = ({ tag, attrs, content }: PlainNode): LoggedNode => {
      left -= 1
      const definedAttributes = Object.entries(attrs).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      )
      const node: LoggedNode = {
        tag,
        attrs: Object.fromEntries(
          definedAttributes.map(([name, value]) => [name, replaceValue(tag, name, String(value))]),
        ),
      }
      if (content === undefined) return node
      if (!Array.isArray(content)) return { ...node, content: describeContent(content) }
      const stored = content.slice(0, Math.max(0, left)).flatMap((child) => (left > 0 ? replace(child) : []))
      const more = content.length - stored.length
      return { ...node, content: stored, ...(more > 0 && { more }) }
    }
    return replace(stanza)
  }
}

function describeContent(content: string | Uint8Array | Outline): Outline {
  if (typeof content === 'string') return { text: content.length }
  return content instanceof Uint8Array ? { bytes: content.length } : content
}
