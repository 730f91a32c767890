// `npm start -- --open`: opens an address in the machine's browser.

import { spawn } from 'node:child_process'

const openers: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
}

/** Without a browser it prints a line, and the gateway continues. */
export function openInBrowser(url: string, printLine: (line: string) => void): void {
  const [program, ...args] = openers[process.platform] ?? ['xdg-open']
  const opener = spawn(program, [...args, url], { stdio: 'ignore', detached: true })
  opener.once('error', ({ message }) =>
    printLine(`No browser could be opened (${message}): open ${url} yourself.`),
  )
  opener.unref()
}
