// The log: one JSON line a happening. It never sees payloads, tokens, secrets, message text or query strings.

import type { Env } from './env.ts'

const levels = ['trace', 'debug', 'info', 'warn', 'error'] as const
type Level = (typeof levels)[number]

type Facts = Record<string, string | number | boolean | undefined>

export function log(env: Pick<Env, 'LOG_LEVEL'>, level: Level, what: string, facts: Facts = {}): void {
  const threshold = levels.indexOf((env.LOG_LEVEL ?? 'info') as Level)
  if (levels.indexOf(level) < threshold) return
  console.log(JSON.stringify({ at: new Date().toISOString(), level, what, ...facts }))
}

/**
 * What an error may tell the log. The database layer's own errors quote statements with their values,
 * so only the innermost cause speaks.
 */
export function reasonOf(error: unknown): string {
  let innermost = error
  while (innermost instanceof Error && innermost.cause instanceof Error) innermost = innermost.cause
  return innermost instanceof Error ? `${innermost.name}: ${innermost.message}` : typeof innermost
}
