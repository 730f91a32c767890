// What an event says in the words of a dialect, as the parts that a receiver gets one after the other.

import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { encodeUtf8 } from '../runtime/bytes.ts'
import { type BodyResult, derivePartId, type EventSource, type Part } from './event-format.ts'

/** One request to a receiver. */
export interface Said {
  /** Of the event, as the dialect names it. */
  name: string
  data: unknown
  /** Fields beside `data`. */
  beside?: object
  /** Whose stored file may come in the body. */
  file?: MessageRecord | undefined
}

interface PartForm {
  /** Of what has this name. */
  createUrl(name: string): string
  /** The body, or its bytes: made at each attempt, of what never changes. `hold` is called with what releases its memory. */
  createBody(
    said: Said,
    hold: (release: () => void) => void,
  ): object | BodyResult | Promise<object | BodyResult>
}

/** The first has the id of the event. */
export const createParts = (
  event: EventSource,
  said: readonly Said[],
  { createUrl, createBody }: PartForm,
): Promise<Part[]> =>
  Promise.all(
    said.map(async (one, place) => {
      let release: (() => void) | undefined
      return {
        id: place === 0 ? event.id : await derivePartId(event.id, `${one.name} ${place}`),
        url: createUrl(one.name),
        async createBody() {
          const body = await createBody(one, (end) => {
            release = end
          })
          return isResult(body) ? body : encodeUtf8(JSON.stringify(body))
        },
        releaseBody: () => release?.(),
      }
    }),
  )

const isResult = (body: object | BodyResult): body is BodyResult =>
  typeof body === 'string' || body instanceof Uint8Array

/** The same URL with one more segment in its path. */
export function addSegment(destination: string, segment: string): string {
  const url = new URL(destination)
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${segment}`
  return url.href
}
