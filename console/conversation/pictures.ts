// The pictures of people and groups, each asked for once, one after the other: the network is asked for every one of them.

import type { InstanceClient } from '../../client/instance.ts'

interface Pictures {
  /** A data URI by chat; empty where there is none, or none for us. */
  readonly asked: Map<string, Promise<string>>
  readonly listeners: Set<(jid: string) => void>
  last: Promise<unknown>
}

/** A list of faces waits for no network that is silent. */
const WAIT_SECONDS = 5

const known = new WeakMap<InstanceClient, Pictures>()

function picturesOf(client: InstanceClient): Pictures {
  const made = known.get(client) ?? { asked: new Map(), listeners: new Set(), last: Promise.resolve() }
  known.set(client, made)
  return made
}

/** Never rejects: a face without a picture has its letters, and whatever is wrong is told by what the page asks for. */
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

/** It was changed here: whoever shows it asks anew. */
export function forgetPicture(client: InstanceClient, jid: string): void {
  const { asked, listeners } = picturesOf(client)
  asked.delete(jid)
  for (const listener of listeners) listener(jid)
}

/** Answers how to end it. */
export function onForgotten(client: InstanceClient, listener: (jid: string) => void): () => void {
  const { listeners } = picturesOf(client)
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
