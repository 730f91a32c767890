// Passes the nodes of a socket to the protocol log: those that arrive from the socket, those that are sent from the library's trace.

import type { BinaryNode, WASocket } from 'baileys'
import { TOKEN_MAP } from 'baileys/lib/WABinary/constants.js'
import type { SocketLog } from '../../../network-log/network-log-writer.ts'
import { readSentNode } from './sent-nodes.ts'

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
