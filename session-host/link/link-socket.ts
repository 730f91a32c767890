// One WebSocket to the edge. Frames that are sent in the same turn travel in one message.

import { SECOND } from '@msgnet/shared/date-time.ts'
import {
  EdgeFrame,
  explainMalformed,
  type HostFrame,
  readEdgeFrames,
} from '@msgnet/shared/wire/link-frames.ts'
import { createUnknownOutcome } from '@msgnet/shared/wire/outcome.ts'
import { WebSocket } from 'ws'

const HANDSHAKE_MS = 10 * SECOND
/** The most bytes, in UTF-8, of frames in one message. */
const MESSAGE_BYTES = 512 * 1024
/** The edge's runtime closes a link that sends a message of 1 MiB. */
const FRAME_BYTES = 1000 * 1024
const CLOSE_MALFORMED = 4000

export interface LinkSocketEvents {
  onOpen(): void
  onFrame(frame: EdgeFrame): void
  /** A frame was too large, and was not sent. */
  onTooLarge(t: HostFrame['t'], bytes: number): void
  /** Called once, whether the socket had opened or not. */
  onClose(why: string): void
}

export class LinkSocket {
  readonly #events: LinkSocketEvents
  readonly #socket: WebSocket
  #waiting: { json: string; bytes: number }[] = []
  #closeReason = ''
  #ended = false

  constructor(url: string, token: string, events: LinkSocketEvents) {
    this.#events = events
    this.#socket = new WebSocket(url, {
      headers: { authorization: `Bearer ${token}` },
      handshakeTimeout: HANDSHAKE_MS,
      perMessageDeflate: false,
    })
    this.#socket.on('open', () => events.onOpen())
    this.#socket.on('message', (data) => this.#receive(String(data)))
    this.#socket.on('unexpected-response', (request, response) => {
      request.destroy()
      this.#end(`the edge answered ${response.statusCode}`)
    })
    this.#socket.on('error', (error) => this.#end(error.message))
    this.#socket.on('close', (code, text) => this.#end(`closed with ${code} ${String(text)}`.trim()))
  }

  send(frame: HostFrame): void {
    if (this.#enqueue(frame.t, JSON.stringify(frame)) || frame.t !== 'outcome') return
    // The act is over: the caller gets an outcome, and the edge does not query it again on every link.
    const outcome = createUnknownOutcome('the answer is too large for the link')
    this.#enqueue('outcome', JSON.stringify({ ...frame, outcome }))
  }

  /** An `events` frame of these items, each as JSON. */
  sendEvents(items: string[]): void {
    this.#enqueue('events', `{"t":"events","items":[${items.join()}]}`)
  }

  /** Sends the waiting frames, then closes. */
  close(): void {
    this.#flush()
    this.#socket.close(1000)
  }

  /** Closes a socket on which the edge no longer answers. */
  terminate(why: string): void {
    this.#socket.terminate()
    this.#end(why)
  }

  #receive(text: string): void {
    if (this.#ended) return
    const frames = readEdgeFrames(text)
    if (!frames) {
      this.#closeReason = `what the edge sent is not taken: ${explainMalformed(text, EdgeFrame)}`
      this.#socket.close(CLOSE_MALFORMED)
      return
    }
    for (const frame of frames) this.#events.onFrame(frame)
  }

  #end(why: string): void {
    if (this.#ended) return
    this.#ended = true
    this.#events.onClose(this.#closeReason || why)
  }

  #enqueue(t: HostFrame['t'], json: string): boolean {
    const bytes = Buffer.byteLength(json)
    if (bytes > FRAME_BYTES) {
      this.#events.onTooLarge(t, bytes)
      return false
    }
    if (this.#waiting.length === 0) setImmediate(() => this.#flush())
    this.#waiting.push({ json, bytes })
    return true
  }

  #flush(): void {
    const frames = this.#waiting
    this.#waiting = []
    if (this.#socket.readyState !== WebSocket.OPEN) return
    let batch: string[] = []
    let total = 0
    for (const { json, bytes } of frames) {
      if (total + bytes > MESSAGE_BYTES && batch.length > 0) {
        this.#socket.send(`[${batch.join()}]`)
        batch = []
        total = 0
      }
      batch.push(json)
      total += bytes + 1
    }
    if (batch.length > 0) this.#socket.send(`[${batch.join()}]`)
  }
}
