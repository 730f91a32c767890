// One WebSocket to the edge. Frames that are sent in the same turn travel in one message.

import { WebSocket } from 'ws'
import { SECOND } from '../../shared/date-time.ts'
import { EdgeFrame, explainMalformed, type HostFrame, readEdgeFrames } from '../../shared/wire/link-frames.ts'
import { createUnknownOutcome } from '../../shared/wire/outcome.ts'

const HANDSHAKE_MS = 10 * SECOND
/** The most bytes, in UTF-8, of frames in one message. */
const MESSAGE_BYTES = 512 * 1024
/** The edge's runtime closes a link that sends a message of 1 MiB. */
const FRAME_BYTES = 1000 * 1024
const CLOSE_MALFORMED = 4000

export interface LinkSocketEvents {
  onOpen(): void
  onFrame(onFrame: EdgeFrame): void
  /** A frame was too large, and was not sent. */
  onTooLarge(t: HostFrame['t'], bytes: number): void
  /** Called once, whether the socket had opened or not. */
  onClose(closeReason: string): void
}

export interface LinkSocket {
  send(frame: HostFrame): void
  /** An `events` frame of these items, each as JSON. */
  sendEvents(items: string[]): void
  /** Sends the waiting frames, then closes. */
  close(): void
  /** Closes a socket on which the edge no longer answers. */
  terminate(closeReason: string): void
}

export function dialEdge(url: string, token: string, events: LinkSocketEvents): LinkSocket {
  const socket = new WebSocket(url, {
    headers: { authorization: `Bearer ${token}` },
    handshakeTimeout: HANDSHAKE_MS,
    perMessageDeflate: false,
  })
  let waiting: { json: string; bytes: number }[] = []
  let closeReason = ''
  let ended = false

  const endSocket = (reason: string) => {
    if (ended) return
    ended = true
    events.onClose(closeReason || reason)
  }

  function flushFrames(): void {
    const frames = waiting
    waiting = []
    if (socket.readyState !== WebSocket.OPEN) return
    let batch: string[] = []
    let total = 0
    for (const { json, bytes } of frames) {
      if (total + bytes > MESSAGE_BYTES && batch.length > 0) {
        socket.send(`[${batch.join()}]`)
        batch = []
        total = 0
      }
      batch.push(json)
      total += bytes + 1
    }
    if (batch.length > 0) socket.send(`[${batch.join()}]`)
  }

  function enqueueFrame(t: HostFrame['t'], json: string): boolean {
    const bytes = Buffer.byteLength(json)
    if (bytes > FRAME_BYTES) {
      events.onTooLarge(t, bytes)
      return false
    }
    if (waiting.length === 0) setImmediate(flushFrames)
    waiting.push({ json, bytes })
    return true
  }

  socket.on('open', events.onOpen)
  socket.on('message', (data) => {
    if (ended) return
    const frames = readEdgeFrames(String(data))
    if (!frames) {
      closeReason = `what the edge sent is not taken: ${explainMalformed(String(data), EdgeFrame)}`
      return socket.close(CLOSE_MALFORMED)
    }
    for (const frame of frames) events.onFrame(frame)
  })
  socket.on('unexpected-response', (request, response) => {
    closeReason = `the edge answered ${response.statusCode}`
    request.destroy()
    endSocket(closeReason)
  })
  socket.on('error', (error) => endSocket(error.message))
  socket.on('close', (code, text) => endSocket(`closed with ${code} ${String(text)}`.trim()))

  return {
    send(frame) {
      if (enqueueFrame(frame.t, JSON.stringify(frame)) || frame.t !== 'outcome') return
      // The act is over: the caller gets an outcome, and the edge does not query it again on every link.
      const outcome = createUnknownOutcome('the answer is too large for the link')
      enqueueFrame('outcome', JSON.stringify({ ...frame, outcome }))
    },
    sendEvents: (items) => void enqueueFrame('events', `{"t":"events","items":[${items.join()}]}`),
    close() {
      flushFrames()
      socket.close(1000)
    },
    terminate(reason) {
      socket.terminate()
      endSocket(reason)
    },
  }
}
