// The signals that stop the gateway: Ctrl-C, SIGTERM, or the end of the program that started it.

const POLL_MS = 500

/** Resolves with the reason, in words for the terminal. */
export function waitForStop(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(signal))
    // A program that started it with an IPC channel, such as a test, may be killed and cannot stop it then.
    const end = () => resolve('the program that started it is gone')
    process.once('disconnect', end)
    // It may be gone before this was loaded.
    if (process.connected === false) end()
    if (process.env.npm_lifecycle_event === undefined) return
    // A killed npm sends no signal, and the gateway would keep its ports with no program to stop it.
    const npm = process.ppid
    const poll = setInterval(() => {
      if (process.ppid === npm) return
      clearInterval(poll)
      resolve('npm is gone')
    }, POLL_MS)
    poll.unref()
  })
}
