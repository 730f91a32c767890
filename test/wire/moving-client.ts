// A client of the library whose device is to move in: linked, and in the words of the tests of a move.

import type { MovingClient } from '../imported-account.ts'
import type { SharedWorld } from '../world.ts'
import { Client } from './client.ts'

/** Logged in, with the keys that its phone has sent. The caller ends it. */
export async function linkMovingClient(world: SharedWorld, number: string): Promise<Client> {
  const url = String((await world.sim('GET', '/network')).url)
  const client = new Client(() => url)
  client.connect()
  await world.sim('POST', `/phones/${number}/scan`, { qr: await client.waitForQr() })
  await client.waitForClose()
  await client.goOnline()
  await client.waitForKeys()
  return client
}

export const toMoving = (client: Client): MovingClient => ({
  sendText: (to, text) => client.socket.sendMessage(to, { text }),
  listTexts: () =>
    client.messages.map(({ message }) => message?.conversation ?? message?.extendedTextMessage?.text ?? ''),
  end: () => client.end(),
})
