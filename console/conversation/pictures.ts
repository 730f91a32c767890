// Loads the pictures of people and groups, each once and one after another, because each is a request to the network.

import type { InstanceClient } from '../../client/instance.ts'

interface Pictures {
  /** A data URI by chat; empty if there is no picture, or none that we may see. */
  readonly asked: Map<string, Promise<string>>
  readonly listeners: Set<(jid: string) => void>
  last: Promise<unknown>
}

/** Short, so that a silent network does not delay the list. */
const WAIT_SECONDS = 5

const known = new WeakMap<InstanceClient, Pictures>()

function picturesOf(client: InstanceClient): Pictures {
  const made = known.get(client) ?? { asked: new Map(), listeners: new Set(), last: Promise.resolve() }
  known.set(client, made)
  return made
}

/** Never rejects: without a picture the initials are shown, and other requests of the page show the error. */
export function pictureOf(client: InstanceClient, jid: string): Promise<string> {
  const pictures = picturesOf(client)
  const before = pictures.asked.get(jid)
  if (before !== undefined) return before
  const ask = () => client.showChat({ number: jid, inline: true }, { waitSeconds: WAIT_SECONDS })
  const picture = pictures.last.then(ask).then(
    ({ imagePreview }) => imagePreview,
    () => '',
  )
  pictures.asked.set(jid, picture)
  pictures.last = picture
  return picture
}

/** After a change here: components that show it load it again. */
export function forgetPicture(client: InstanceClient, jid: string): void {
  const { asked, listeners } = picturesOf(client)
  asked.delete(jid)
  for (const listener of listeners) listener(jid)
}

/** Returns a function that removes the listener. */
export function onForgotten(client: InstanceClient, listener: (jid: string) => void): () => void {
  const { listeners } = picturesOf(client)
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
