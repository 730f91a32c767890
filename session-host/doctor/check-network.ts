// Checks of the network: its site's version and clock, whether it takes a new device of our version, and its media hosts.

import type { Agent } from 'node:http'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { withDeadline } from '@msgnet/shared/deadline.ts'
import type { Closing, ConnectionEvents, Driver } from '../driver/driver.ts'
import { describeFailure, type Fetched, fetchText } from '../driver/site/fetch-text.ts'
import { readPresentBuild } from '../driver/site/network-site.ts'
import { ProxyAgent } from '../driver/tunnel/tunnel-agent.ts'
import { type Finding, fail, ok, warn } from './doctor-finding.ts'

export const ANSWER_WITHIN_MS = 15 * SECOND
/** The network's code for a version that it no longer takes. */
const OUTDATED = 405
const CERTIFICATE = /certifica|signature|self.signed/i

/** `announced` as `2.3000.N`. */
export function checkVersion(announced: string, site: Fetched | undefined): Finding {
  const present = readPresentBuild(site)
  const says = `this host announces ${announced}`
  if (present === undefined)
    return warn(
      'version',
      `${says}; the site did not show its own`,
      'Read client_revision in the source of the site, and compare.',
    )
  const behind = present - Number(announced.split('.').at(-1))
  if (behind <= 0) return ok('version', `${says}, the site ${present}`)
  return warn(
    'version',
    `${says}, the site ${present}: ${behind} builds newer`,
    `If the network refuses ours: NETWORK_VERSION=2.3000.${present}`,
  )
}

/** Begins the linking of a device, as a browser does that shows its code, and leaves. No account is logged in. */
export async function checkHandshake(
  driver: Driver,
  url: string,
  proxy: string | undefined,
  within: number,
): Promise<Finding> {
  const began = performance.now()
  const news = Promise.withResolvers<Closing | 'taken'>()
  const ignoreEvent = async () => undefined
  const handlers: Partial<ConnectionEvents> = { onQr: () => news.resolve('taken'), onClosed: news.resolve }
  const events = new Proxy(handlers as ConnectionEvents, {
    get: (known, name) => Reflect.get(known, name) ?? ignoreEvent,
  })
  const connection = await driver.connect({
    instance: 'doctor',
    fresh: true,
    events,
    ...(proxy && { proxy }),
  })
  const answer = await withDeadline(news.promise, within, () => 'unresponsive' as const)
  await connection.close()
  const ms = Math.round(performance.now() - began)
  if (answer === 'taken') return ok('network', `${url} takes a new device: certificate sound, ${ms} ms`)
  return classifyRefusal(url, answer)
}

function classifyRefusal(url: string, answer: Closing | 'unresponsive'): Finding {
  if (answer === 'unresponsive')
    return fail(
      'network',
      `${url} does not respond`,
      'A firewall or proxy holds the connection: allow wss to this address.',
    )
  const { code, message } = answer
  if (code === OUTDATED)
    return fail(
      'network',
      `${url} refuses our version (${OUTDATED})`,
      'Set NETWORK_VERSION to what the site has: the line "version".',
    )
  if (CERTIFICATE.test(message))
    return fail(
      'network',
      `${url} is not the network: ${message}`,
      'Another server is in its place, so no host may connect this way; or NETWORK_ROOT_KEY is wrong.',
    )
  return fail(
    'network',
    `${url} was not reached: ${message} (${code})`,
    'Check the name, the firewall, and the proxy.',
  )
}

/** One for each host, as `name` or `name:port`. Any answer by HTTP will do. */
export async function checkMediaHost(
  host: string,
  ca: string | undefined,
  agent: Agent | undefined,
): Promise<Finding> {
  try {
    const { status } = await fetchText(`https://${host}/`, { ca, agent })
    return ok('media host', `${host} answers (${status})`)
  } catch (error) {
    return fail(
      'media host',
      `${host}: ${describeFailure(error)}`,
      'Allow https to it: files can neither be sent nor fetched.',
    )
  }
}

/** `echo`: a page that says the caller's address, alone or as `ip=…` among other lines. */
export async function checkExit(proxy: string, echo: string, local: boolean): Promise<Finding> {
  const secure = echo.startsWith('https:') ? 'https:' : 'http:'
  const agent = new ProxyAgent(proxy, secure, { local })
  try {
    const seen = readAddress(await fetchText(echo, { agent }))
    const own = await fetchText(echo).then(readAddress, () => '')
    if (seen === '')
      return warn('proxy', 'it connects; the page shows no address', `Name another page: --echo (${echo})`)
    if (seen === own)
      return warn(
        'proxy',
        `it leaves by our own address, ${seen}`,
        'The network sees this machine: is that intended?',
      )
    return ok('proxy', `leaves by ${seen}${own && `; without it ${own}`}`)
  } catch (error) {
    return fail(
      'proxy',
      `it does not connect: ${describeFailure(error)}`,
      'Instances with this proxy stay disconnected: none bypasses it.',
    )
  } finally {
    agent.destroy()
  }
}

function readAddress({ text }: Fetched): string {
  const [, address = text.trim()] = /^ip=(\S+)$/m.exec(text) ?? []
  return /^[\da-fA-F.:]{3,45}$/.test(address) ? address : ''
}
