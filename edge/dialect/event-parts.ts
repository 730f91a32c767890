// What an event says in the words of a dialect, as the parts that a receiver gets one after the other.

import { encodeUtf8 } from '../runtime/bytes.ts'
import { derivePartId, type EventSource, type Part } from './event-format.ts'

/** One request to a receiver. */
export interface Said {
  /** Of the event, as the dialect names it. */
  name: string
  data: unknown
  /** Fields beside `data`. */
  beside?: object
}

interface PartForm {
  /** Of what has this name. */
  createUrl(name: string): string
  /** The body: made at each attempt, of what never changes. */
  createBody(said: Said): object | 'expired' | Promise<object | 'expired'>
}

/** The first has the id of the event. */
export const createParts = (
  event: EventSource,
  said: readonly Said[],
  { createUrl, createBody }: PartForm,
): Promise<Part[]> =>
  Promise.all(
    said.map(async (one, place) => ({
      id: place === 0 ? event.id : await derivePartId(event.id, `${one.name} ${place}`),
      url: createUrl(one.name),
      async createBody() {
        const body = await createBody(one)
        return body === 'expired' ? body : encodeUtf8(JSON.stringify(body))
      },
    })),
  )

/** The same URL with one more segment in its path. */
export function addSegment(destination: string, segment: string): string {
  const url = new URL(destination)
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${segment}`
  return url.href
}
