// Writes the library's log lines into ours: the sentence and an error's message, never its objects, which hold keys and text.

import type { UserFacingSocketConfig } from 'baileys'
import type { Log } from '../../../process/host-log.ts'

type LibraryLog = NonNullable<UserFacingSocketConfig['logger']>

/** The library's own trace line of a stanza that it is about to send. */
const SENT = 'xml send'

/** The library's last line before it writes a message, or the receipts that mark messages as read. */
const WRITING = /^sending (?:message to \d+ devices|receipt for messages)$/

/**
 * `onWriting` is called just before the library writes a message or a receipt. `onSent`: with each stanza that it writes, in the form of
 * its trace lines.
 */
export function createLibraryLog(
  log: Log,
  onWriting: () => void,
  onSent?: (xml: string) => void,
): LibraryLog {
  const logAt = (level: 'debug' | 'info') => (fields: unknown, sentence?: string) => {
    log[level](
      { from: 'baileys', ...describeError(fields) },
      typeof fields === 'string' ? fields : (sentence ?? ''),
    )
  }
  const ignoreLine = () => undefined
  const lines: LibraryLog = {
    // The library builds expensive lines only at a lower level.
    level: onSent ? 'trace' : 'warn',
    child: () => lines,
    trace: onSent ? (fields) => forwardSent(fields, onSent) : ignoreLine,
    debug: (_fields: unknown, sentence?: string) => {
      if (sentence !== undefined && WRITING.test(sentence)) onWriting()
    },
    info: ignoreLine,
    // It has handled what it warns of; the effect on a session is reported by events and logged there.
    warn: logAt('debug'),
    error: logAt('info'),
  }
  return lines
}

function forwardSent(fields: unknown, onSent: (xml: string) => void): void {
  if (typeof fields !== 'object' || fields === null) return
  const { msg, xml } = fields as Record<string, unknown>
  if (msg === SENT && typeof xml === 'string') onSent(xml)
}

function describeError(fields: unknown): { error?: string } {
  if (typeof fields !== 'object' || fields === null) return {}
  const { err, error, trace } = fields as Record<string, unknown>
  const cause = err ?? error
  if (cause instanceof Error) return { error: cause.message }
  return typeof trace === 'string' ? { error: trace.split('\n')[0] ?? '' } : {}
}
