// Converts what the network says of other people's presence and typing. Not by the library's event, which shows a pause as being online.

import { SECOND } from '@msgnet/shared/date-time.ts'
import { type BinaryNode, getAllBinaryNodeChildren, isJidGroup, type WASocket } from 'baileys'
import type { NetworkPresence } from '../../driver.ts'
import { toGatewayJid } from '../ids.ts'

export function adaptPresence(sock: WASocket, report: (news: NetworkPresence) => void): void {
  const listen = (tag: string, readState: (node: BinaryNode) => PresenceState | undefined) =>
    sock.ws.on(`CB:${tag}`, (node: BinaryNode) => {
      const chat = toGatewayJid(node.attrs.from)
      const by = toGatewayJid(node.attrs.participant) || chat
      const state = chat && readState(node)
      if (state) report({ chat, by, ...state })
    })
  listen('presence', readPresence)
  listen('chatstate', readTyping)
}

type PresenceState = Pick<NetworkPresence, 'state' | 'lastSeen'>

/** Of a group only the number of those who are online is sent. */
function readPresence({ attrs: { from, type, last } }: BinaryNode): PresenceState | undefined {
  if (isJidGroup(from)) return undefined
  if (type !== 'unavailable') return { state: 'available', lastSeen: 0 }
  // Words in place of a time: `deny`, `none`, `error`.
  const seconds = /^\d{1,12}$/.test(last ?? '') ? Number(last) : 0
  return { state: 'unavailable', lastSeen: seconds * SECOND }
}

function readTyping(node: BinaryNode): PresenceState | undefined {
  const [activity] = getAllBinaryNodeChildren(node)
  switch (activity?.tag) {
    case 'composing':
      return { state: activity.attrs.media === 'audio' ? 'recording' : 'composing', lastSeen: 0 }
    case 'paused':
      return { state: 'paused', lastSeen: 0 }
    default:
      return undefined
  }
}
