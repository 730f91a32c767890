// Writes the library's log lines into ours: the sentence and an error's message, never its objects, which hold keys and text.

import type { UserFacingSocketConfig } from 'baileys'
import type { Log } from '../../../log.ts'

type LibraryLog = NonNullable<UserFacingSocketConfig['logger']>

export function libraryLog(log: Log): LibraryLog {
  const say = (level: 'debug' | 'info') => (fields: unknown, sentence?: string) => {
    log[level](
      { from: 'baileys', ...errorOf(fields) },
      typeof fields === 'string' ? fields : (sentence ?? ''),
    )
  }
  const mute = () => undefined
  const lines: LibraryLog = {
    // The library builds expensive lines only at a lower level.
    level: 'warn',
    child: () => lines,
    trace: mute,
    debug: mute,
    info: mute,
    // It has handled what it warns of; the effect on a session is reported by events and logged there.
    warn: say('debug'),
    error: say('info'),
  }
  return lines
}

function errorOf(fields: unknown): { error?: string } {
  if (typeof fields !== 'object' || fields === null) return {}
  const { err, error, trace } = fields as Record<string, unknown>
  const thrown = err ?? error
  if (thrown instanceof Error) return { error: thrown.message }
  return typeof trace === 'string' ? { error: trace.split('\n')[0] ?? '' } : {}
}
