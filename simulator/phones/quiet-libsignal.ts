// Stops libsignal from printing.
const STEMS = [
  'Closing session',
  'Closing open session',
  'Opening session',
  'Removing old closed session',
  'Session already',
  'Decrypted message with closed session',
  'Failed to decrypt message with any known session',
  'Session error:',
  'Migrating session',
]

let quiet = false

/**
 * It writes whole sessions, private keys and all, to the console whenever it opens or closes one.
 * It has no setting for that, so its lines are recognised by their beginning and dropped.
 */
export function quietLibsignal() {
  if (quiet) return
  quiet = true
  for (const level of ['info', 'warn', 'error', 'log'] as const) {
    const print = console[level].bind(console)
    console[level] = (...words: unknown[]) => {
      const [first] = words
      if (typeof first === 'string' && STEMS.some((stem) => first.startsWith(stem))) return
      print(...words)
    }
  }
}
