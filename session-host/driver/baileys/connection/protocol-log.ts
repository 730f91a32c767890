// Passes the nodes of a socket to the protocol log: those that arrive from the socket, those that are sent from the library's trace.

import type { Outline } from '@msgnet/shared/network-log-lines.ts'
import type { BinaryNode, WASocket } from 'baileys'
import { TOKEN_MAP } from 'baileys/lib/WABinary/constants.js'
import type { PlainNode } from '../../../network-log/anonymize-nodes.ts'
import type { SocketLog } from '../../../network-log/network-log-writer.ts'

const BEGIN = /^<([^\s<>]+) (.*?)(\/)?>$/
const END = /^<\/[^\s<>]+>$/
/** A value may contain anything; it ends where the next name or the end of the list follows. */
const ATTRIBUTE = /([^\s=']+)='(.*?)'(?= [^\s=']+='|$)/g
const HEX = /^(?:[0-9a-f]{2})+$/

/** Whether the protocol's dictionary has a word: such words say nothing about people. */
export const isProtocolWord = (text: string): boolean => Object.hasOwn(TOKEN_MAP, text)

export const createSentLogger = (socketLog: SocketLog) => (xml: string) =>
  socketLog.logSent(readSentNode(xml))

export function logFrames(sock: WASocket, socketLog: SocketLog): void {
  sock.ws.on('frame', (frame: BinaryNode | Uint8Array) => {
    // The frames of the handshake are bytes.
    if (!(frame instanceof Uint8Array)) socketLog.logReceived(frame)
  })
}

/** The line of one stanza: one node per line, bytes as hex, text unchanged. Of an unreadable line only the length is returned. */
export function readSentNode(xml: string): PlainNode {
  const root: PlainNode & { content: PlainNode[] } = { tag: '', attrs: {}, content: [] }
  const open: PlainNode[] = [root]
  for (const line of xml.split('\n').map((text) => text.replace(/^\t+/, ''))) {
    const parent = open.at(-1) ?? root
    const [begins, tag = '', attributes = '', isLeaf] = BEGIN.exec(line) ?? []
    if (begins) {
      const node: PlainNode = { tag, attrs: readAttributes(attributes) }
      if (Array.isArray(parent.content)) parent.content.push(node)
      else parent.content = [node]
      if (!isLeaf) open.push(node)
    } else if (END.test(line)) open.pop()
    else if (!Array.isArray(parent.content))
      parent.content = addText(parent.content as Outline | undefined, line)
  }
  const [node] = root.content
  return node && open.length === 1 ? node : { tag: 'unreadable', attrs: {}, content: { text: xml.length } }
}

const readAttributes = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(ATTRIBUTE)].map(([, name = '', value = '']) => [name, value]))

const addText = (known: Outline | undefined, line: string): Outline => {
  if (!known) return HEX.test(line) ? { bytes: line.length / 2 } : { text: line.length }
  return { text: ('text' in known ? known.text : known.bytes * 2) + 1 + line.length }
}
