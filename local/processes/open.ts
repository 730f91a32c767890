// `npm start -- --open`: the machine's own way to show an address to whoever sits before it.

import { spawn } from 'node:child_process'

const openers: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
}

/** A machine without a browser says so in a line: the gateway runs on. */
export function openInBrowser(url: string, say: (line: string) => void): void {
  const [program, ...args] = openers[process.platform] ?? ['xdg-open']
  const opener = spawn(program, [...args, url], { stdio: 'ignore', detached: true })
  opener.once('error', ({ message }) => say(`No browser could be opened (${message}): open ${url} yourself.`))
  opener.unref()
}
