// Finds out whether the frames that have an effect were written. The library encodes a stanza, encrypts it and passes it to the socket in
// one go, so the frame that the socket gets next is the one that was announced.

import type { WASocket } from 'baileys'
import { Effect, NotWritten } from '../../effect.ts'
import { getWebSocket } from './frame-guards.ts'

/** The effect whose frame the socket gets next. */
const announced = new WeakMap<WASocket, Effect>()

/** Called just before the library is asked to write it, or by the library's last log line before that. */
export function announceEffectFrame(sock: WASocket): void {
  const effect = Effect.current
  if (!effect) return
  effect.beginFrame()
  announced.set(sock, effect)
  // A closed socket does not get it.
  queueMicrotask(() => {
    if (announced.get(sock) !== effect) return
    announced.delete(sock)
    effect.endFrame(false)
  })
}

/**
 * For what the library writes some time after it was asked to: its effect counts as leaving until then. A closed socket, or one that
 * closes before, does not get it.
 */
export async function writeEffect(sock: WASocket, write: () => Promise<unknown>): Promise<void> {
  const effect = Effect.current
  effect?.beginFrame()
  try {
    await write()
    effect?.endFrame(true)
  } catch (error) {
    effect?.endFrame(sock.ws.isOpen && !(error instanceof NotWritten))
    throw error
  }
}

/** Called after all other guards: it is the first that gets a frame. */
export function trackEffectFrames(sock: WASocket): void {
  const socket = getWebSocket(sock)
  const send = socket.send.bind(socket)
  socket.send = (data, done) => {
    const effect = announced.get(sock)
    announced.delete(sock)
    if (!effect) return send(data, done)
    send(data, (error) => {
      effect.endFrame(!(error instanceof NotWritten))
      done?.(error)
    })
  }
}
