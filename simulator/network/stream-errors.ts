// The errors that end a stream or a login.
import { type Stanza, stanza } from '../codec/stanza.ts'

/** 515: reconnect at once, as after a pairing. */
export const restart = (): Stanza => stanza('stream:error', { code: '515' })

/** 440: the same companion has logged in elsewhere. */
export const replaced = (): Stanza => stanza('stream:error', {}, [stanza('conflict', { type: 'replaced' })])

/** 401: the companion was unlinked. */
export const deviceRemoved = (): Stanza =>
  stanza('stream:error', { code: '401' }, [stanza('conflict', { type: 'device_removed' })])

export function streamError(code: number): Stanza {
  if (code === 440) return replaced()
  if (code === 401) return deviceRemoved()
  return stanza('stream:error', { code: String(code) })
}

/** An error that names its cause by a child, with a code or without; no child if `tag` is empty. */
export const streamErrorOf = (
  tag: string,
  attrs: Record<string, string> = {},
  code: number | undefined = undefined,
): Stanza =>
  stanza(
    'stream:error',
    { code: code === undefined ? undefined : String(code) },
    tag ? [stanza(tag, attrs)] : [],
  )

export const loginFailure = (code: number): Stanza =>
  stanza('failure', { reason: String(code), location: 'sim' })
