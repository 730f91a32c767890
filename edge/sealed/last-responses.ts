// Seals and opens the beginning of a receiver's refusal: these are another program's words, and may repeat what was sent to it.

import { DAY } from '@msgnet/shared/date-time.ts'
import { SealError } from '@msgnet/shared/seal.ts'
import type { FailedAttempt } from '../objects/due-events.ts'
import { encodeUtf8 } from '../runtime/bytes.ts'
import type { Env } from '../settings/env.ts'
import { findSealer } from './sealers.ts'

/** How long it is stored after the attempt. */
export const LAST_RESPONSE_RETENTION = 7 * DAY

const formatSealContext = (eventId: string) => `last-response:${eventId}`

type Sealed = NonNullable<FailedAttempt['lastResponse']>

/** Null if there is nothing to store, or no key: without one, deliveries go on. */
export async function sealLastResponse(env: Env, eventId: string, text: string): Promise<Sealed | null> {
  if (text === '') return null
  try {
    const sealer = await findSealer(env, 'edge/last-response')
    return await sealer.seal(encodeUtf8(text), formatSealContext(eventId))
  } catch (error) {
    if (error instanceof SealError) return null
    throw error
  }
}

/** Empty if none is stored, or if no key opens it. */
export async function openLastResponse(
  env: Env,
  { id, lastResponse }: { id: string; lastResponse: Uint8Array | null },
): Promise<string> {
  if (!lastResponse) return ''
  try {
    const sealer = await findSealer(env, 'edge/last-response')
    return new TextDecoder().decode(await sealer.open(new Uint8Array(lastResponse), formatSealContext(id)))
  } catch (error) {
    if (error instanceof SealError) return ''
    throw error
  }
}
