// Writes the library's log lines into ours: the sentence and an error's message, never its objects, which hold keys and text.

import type { UserFacingSocketConfig } from 'baileys'
import type { Log } from '../../../log.ts'

type LibraryLog = NonNullable<UserFacingSocketConfig['logger']>

/** The library's own trace line of a stanza that it is about to send. */
const SENT = 'xml send'

/** `sent` is called with each stanza that the library writes, in the form of its trace lines. */
export function libraryLog(log: Log, sent?: (xml: string) => void): LibraryLog {
  const say = (level: 'debug' | 'info') => (fields: unknown, sentence?: string) => {
    log[level](
      { from: 'baileys', ...errorOf(fields) },
      typeof fields === 'string' ? fields : (sentence ?? ''),
    )
  }
  const mute = () => undefined
  const lines: LibraryLog = {
    // The library builds expensive lines only at a lower level.
    level: sent ? 'trace' : 'warn',
    child: () => lines,
    trace: sent ? (fields) => passSent(fields, sent) : mute,
    debug: mute,
    info: mute,
    // It has handled what it warns of; the effect on a session is reported by events and logged there.
    warn: say('debug'),
    error: say('info'),
  }
  return lines
}

function passSent(fields: unknown, sent: (xml: string) => void): void {
  if (typeof fields !== 'object' || fields === null) return
  const { msg, xml } = fields as Record<string, unknown>
  if (msg === SENT && typeof xml === 'string') sent(xml)
}

function errorOf(fields: unknown): { error?: string } {
  if (typeof fields !== 'object' || fields === null) return {}
  const { err, error, trace } = fields as Record<string, unknown>
  const thrown = err ?? error
  if (thrown instanceof Error) return { error: thrown.message }
  return typeof trace === 'string' ? { error: trace.split('\n')[0] ?? '' } : {}
}
