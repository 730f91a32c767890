// The network's own site: a page of it names the present build of the network's program.

import type { Agent } from 'node:http'
import { type Fetched, fetchText } from './fetch-text.ts'

/** The page at the network's address that names the build; undefined if it was not reached. */
export function fetchSite(
  networkUrl: string,
  agent: Agent | undefined,
  within: number,
): Promise<Fetched | undefined> {
  const site = new URL('/sw.js', networkUrl.replace(/^ws/, 'http')).href
  return fetchText(site, { agent, maxMs: within }).catch(() => undefined)
}

/** The last part of the version `2.3000.N`; undefined if the page does not say it. */
export function readPresentBuild(site: Fetched | undefined): number | undefined {
  const [, build] = /client_revision\\?"\s*:\s*(\d+)/.exec(site?.text ?? '') ?? []
  return build === undefined ? undefined : Number(build)
}
