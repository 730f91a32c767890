// The errors that end a stream or a login.
import { buildStanza, type Stanza } from '../codec/stanza.ts'

/** 515: reconnect at once, as after a pairing. */
export const buildRestart = (): Stanza => buildStanza('stream:error', { code: '515' })

/** 440: the same companion has logged in elsewhere. */
export const buildReplaced = (): Stanza =>
  buildStanza('stream:error', {}, [buildStanza('conflict', { type: 'replaced' })])

/** 401: the companion was unlinked. */
export const buildDeviceRemoved = (): Stanza =>
  buildStanza('stream:error', { code: '401' }, [buildStanza('conflict', { type: 'device_removed' })])

export function buildStreamError(code: number): Stanza {
  if (code === 440) return buildReplaced()
  if (code === 401) return buildDeviceRemoved()
  return buildStanza('stream:error', { code: String(code) })
}

/** An error that names its cause by a child, with a code or without; no child if `tag` is empty. */
export const buildStreamErrorWithCause = (
  tag: string,
  attrs: Record<string, string> = {},
  code: number | undefined = undefined,
): Stanza =>
  buildStanza(
    'stream:error',
    { code: code === undefined ? undefined : String(code) },
    tag ? [buildStanza(tag, attrs)] : [],
  )

export const buildLoginFailure = (code: number): Stanza =>
  buildStanza('failure', { reason: String(code), location: 'sim' })
