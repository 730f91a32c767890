// One WebSocket to the edge: frames in, frames out; what is ready at the same time leaves together.

import { WebSocket } from 'ws'
import { SECOND } from '../../shared/clock.ts'
import { type EdgeFrame, type HostFrame, parseEdgeFrames } from '../../shared/wire/frames.ts'

const HANDSHAKE_MS = 10 * SECOND
/** The edge's runtime takes no message of 1 MiB. */
const MESSAGE_CHARACTERS = 512 * 1024
const CLOSE_UNREADABLE = 4000

export interface WireEvents {
  opened(): void
  frame(frame: EdgeFrame): void
  /** Once, whether it had opened or not. */
  closed(why: string): void
}

export interface Wire {
  send(frame: HostFrame): void
  /** Hands over what waits, then says goodbye. */
  close(): void
  /** For a socket that nobody answers on. */
  drop(why: string): void
}

export function dial(url: string, token: string, events: WireEvents): Wire {
  const socket = new WebSocket(url, {
    headers: { authorization: `Bearer ${token}` },
    handshakeTimeout: HANDSHAKE_MS,
    perMessageDeflate: false,
  })
  let waiting: string[] = []
  let why = ''
  let ended = false

  const end = (reason: string) => {
    if (ended) return
    ended = true
    events.closed(why || reason)
  }

  function flush(): void {
    const frames = waiting
    waiting = []
    if (socket.readyState !== WebSocket.OPEN) return
    for (let at = 0; at < frames.length; ) {
      let message = frames[at++] ?? ''
      for (let next = frames[at]; next !== undefined; next = frames[++at]) {
        if (message.length + next.length > MESSAGE_CHARACTERS) break
        message += `,${next}`
      }
      socket.send(`[${message}]`)
    }
  }

  socket.on('open', events.opened)
  socket.on('message', (data) => {
    if (ended) return
    const frames = parseEdgeFrames(String(data))
    if (!frames) {
      why = 'the edge sent frames that this host does not know'
      return socket.close(CLOSE_UNREADABLE)
    }
    for (const frame of frames) events.frame(frame)
  })
  socket.on('unexpected-response', (request, response) => {
    why = `the edge answered ${response.statusCode}`
    request.destroy()
    end(why)
  })
  socket.on('error', (error) => end(error.message))
  socket.on('close', (code, text) => end(`closed with ${code} ${String(text)}`.trim()))

  return {
    send(frame) {
      if (waiting.length === 0) setImmediate(flush)
      waiting.push(JSON.stringify(frame))
    },
    close() {
      flush()
      socket.close(1000)
    },
    drop(reason) {
      socket.terminate()
      end(reason)
    },
  }
}
