// The words of the network that this driver knows. Others are reported, so that a change of the network is noticed at once.

import type { BinaryNode } from 'baileys'
import type { UnknownWord } from '../../driver.ts'
import { closingKindByCode } from './closing.ts'

type StanzaWord = Exclude<UnknownWord['kind'], 'message'>

const knownWords = {
  // biome-ignore format: a list of short entries
  stanza: new Set([
    'message', 'receipt', 'ack', 'notification', 'call', 'presence', 'chatstate', 'iq', 'ib', 'success',
    'failure', 'stream:error', 'xmlstreamend',
  ]),
  ib: new Set(['offline_preview', 'offline', 'dirty', 'edge_routing', 'downgrade_webclient']),
  // biome-ignore format: a list of short entries
  notification: new Set([
    'account_sync', 'devices', 'encrypt', 'link_code_companion_reg', 'mediaretry', 'mex', 'newsletter',
    'picture', 'privacy_token', 'server_sync', 'status', 'w:gp2', 'passkey_prologue_request',
    'crsc_continuation',
  ]),
  nack: new Set(['400', '403', '404', '421', '429', '463', '479']),
  failure: new Set([...Object.keys(closingKindByCode), '400', '503']),
  stream_error: new Set(['ack', 'conflict', 'xml-not-well-formed', ...Object.keys(closingKindByCode), '503']),
  /** First children of requests that the network makes. */
  iq: new Set(['pair-device', 'pair-success', 'ping']),
} satisfies Record<StanzaWord, ReadonlySet<string>>

/** Undefined for what is known, which is nearly always so. */
export function findUnknownWord({ tag, attrs, content }: BinaryNode): UnknownWord | undefined {
  if (!knownWords.stanza.has(tag)) return { kind: 'stanza', name: tag }
  const child = Array.isArray(content) ? (content[0]?.tag ?? '') : ''
  switch (tag) {
    case 'ib':
      return checkWord('ib', child)
    case 'notification':
      return checkWord('notification', attrs.type)
    case 'ack':
      return attrs.error === undefined ? undefined : checkWord('nack', attrs.error)
    case 'failure':
      return checkWord('failure', attrs.reason)
    case 'stream:error':
      return checkWord('stream_error', child || attrs.code)
    case 'iq':
      return attrs.type === 'get' || attrs.type === 'set' ? checkWord('iq', child) : undefined
    default:
      return undefined
  }
}

const checkWord = (kind: StanzaWord, name = ''): UnknownWord | undefined =>
  knownWords[kind].has(name) ? undefined : { kind, name: name || 'none' }
