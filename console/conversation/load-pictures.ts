// Loads the pictures of people and groups, each once and one after another, because each is a request to the network.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'

interface Pictures {
  /** A data URI by chat; empty if there is no picture that this account may see. */
  readonly requested: Map<string, Promise<string>>
  readonly listeners: Set<(jid: string) => void>
  last: Promise<unknown>
  /** Without a device each request would be refused. */
  isOff: boolean
  /** What was not asked for meanwhile. */
  readonly skipped: Set<string>
}

/** Short, so that an unresponsive network does not delay the list. */
const WAIT_SECONDS = 5

const picturesByClient = new WeakMap<InstanceClient, Pictures>()

function getPictures(client: InstanceClient): Pictures {
  const pictures = picturesByClient.get(client) ?? {
    requested: new Map(),
    listeners: new Set(),
    last: Promise.resolve(),
    isOff: false,
    skipped: new Set(),
  }
  picturesByClient.set(client, pictures)
  return pictures
}

/** Never rejects: without a picture the initials are shown, and other requests of the page show the error. */
export function loadPicture(client: InstanceClient, jid: string): Promise<string> {
  const pictures = getPictures(client)
  if (pictures.isOff) {
    pictures.skipped.add(jid)
    return Promise.resolve('')
  }
  const requestedPicture = pictures.requested.get(jid)
  if (requestedPicture !== undefined) return requestedPicture
  const requestPicture = () => client.showChat({ number: jid, inline: true }, { waitSeconds: WAIT_SECONDS })
  const picture = pictures.last.then(requestPicture).then(
    ({ imagePreview }) => imagePreview,
    () => '',
  )
  pictures.requested.set(jid, picture)
  pictures.last = picture
  return picture
}

/** Whether the instance has a device that can ask for them. */
export function allowPictures(client: InstanceClient, isAllowed: boolean): void {
  const pictures = getPictures(client)
  pictures.isOff = !isAllowed
  if (isAllowed) for (const jid of pictures.skipped) invalidatePicture(client, jid)
}

/** After a change here: components that show it load it again. */
export function invalidatePicture(client: InstanceClient, jid: string): void {
  const { requested, skipped, listeners } = getPictures(client)
  requested.delete(jid)
  skipped.delete(jid)
  for (const listener of listeners) listener(jid)
}

/** Returns a function that removes the listener. */
export function onPictureChange(client: InstanceClient, listener: (jid: string) => void): () => void {
  const { listeners } = getPictures(client)
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
