// When the gateway is to end: Ctrl-C, SIGTERM, or whoever started it is gone.

const LOOK_EVERY_MS = 500

/** Resolves with the reason, in words for the terminal. */
export function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(signal))
    // A program that started it with a channel, such as a test: it may be killed, and then can end nothing.
    process.once('disconnect', () => resolve('the program that started it is gone'))
    if (process.env.npm_lifecycle_event === undefined) return
    // A killed npm tells nobody. Left alone, the gateway would hold its ports with nobody at hand to stop it.
    const npm = process.ppid
    const look = setInterval(() => {
      if (process.ppid === npm) return
      clearInterval(look)
      resolve('npm is gone')
    }, LOOK_EVERY_MS)
    look.unref()
  })
}
