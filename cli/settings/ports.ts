// Checks that the ports are free, before any part is started.

import { randomInt } from 'node:crypto'
import { createServer, isIPv6 } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import type { Settings } from './gateway-settings.ts'
import { isSecondGateway } from './second-gateway.ts'

/** The parts of a gateway that was just killed may hold their ports for a moment. */
const RETRY_FOR_MS = 3000
const STEP_MS = 50

/** Throws the system's error if the port cannot be used. */
const probePort = (host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve()))
  })

/** The system uses no ports of this range for outgoing connections, so a free one stays free until it is used. */
const FREE_FROM = 20_000
const FREE_BELOW = 32_000

/** A free port. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  for (;;) {
    const port = randomInt(FREE_FROM, FREE_BELOW)
    try {
      await probePort(host, port)
      return port
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    }
  }
}

/** What listens on all addresses of this machine is reached by this one from here. */
const OWN_ADDRESSES: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** The address for a client on this machine. */
export function toUrl(host: string, port: number): string {
  const address = OWN_ADDRESSES[host] ?? host
  return `http://${isIPv6(address) ? `[${address}]` : address}:${port}`
}

class PortTaken extends OperatorError {}

/** Returns `port`, or a free one for 0. Throws an OperatorError that names the variable when it is taken. */
export async function claimPort(
  variable: string,
  host: string,
  port: number,
  retryForMs = RETRY_FOR_MS,
): Promise<number> {
  const until = performance.now() + retryForMs
  for (;;) {
    try {
      if (port === 0) return await freePort(host)
      await probePort(host, port)
      return port
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code
      // The address is wrong, not the port.
      if (code === 'ENOTFOUND' || code === 'EADDRNOTAVAIL')
        throw new OperatorError(
          `${variable.replace('PORT', 'HOST')} must be an address of this machine: ${host} is not one.`,
        )
      if (code !== 'EADDRINUSE')
        throw new OperatorError(`${variable}: cannot listen on ${host}:${port} (${code}).`)
      if (performance.now() > until) {
        throw new PortTaken(
          `Port ${port} on ${host} is taken: stop what listens there, or set ${variable} to another.`,
        )
      }
      await wait(STEP_MS)
    }
  }
}

const LOOPBACK = '127.0.0.1'
const variables = ['PORT', 'SIMULATOR_PORT', 'METRICS_PORT', 'EDGE_METRICS_PORT'] as const

/** `previousPorts`: those of a run that was killed. Its parts may hold them for a moment, and then this run has them again. */
export async function claimPorts(
  settings: Pick<
    Settings,
    (typeof variables)[number] | 'HOST' | 'METRICS_HOST' | 'EDGE_METRICS_HOST' | 'explicit'
  >,
  { simulated, previousPorts }: { simulated: boolean; previousPorts: ReadonlySet<number> },
): Promise<{ edge: number; simulator: number; metrics: number; edgeMetrics: number }> {
  const { explicit } = settings
  const claimed = new Set(variables.filter((name) => explicit.has(name)).map((name) => settings[name]))

  async function claimVariable(variable: (typeof variables)[number], host: string): Promise<number> {
    const port = settings[variable]
    if (explicit.has(variable) || !isSecondGateway(settings.PORT)) return claimPort(variable, host, port)
    const chosen = claimed.has(port)
      ? await freePort(host)
      : await claimPort(variable, host, port, previousPorts.has(port) ? RETRY_FOR_MS : 0).catch((error) => {
          if (!(error instanceof PortTaken)) throw error
          return freePort(host)
        })
    claimed.add(chosen)
    return chosen
  }

  return {
    edge: await claimVariable('PORT', settings.HOST),
    simulator: simulated ? await claimVariable('SIMULATOR_PORT', LOOPBACK) : 0,
    metrics: await claimVariable('METRICS_PORT', settings.METRICS_HOST),
    edgeMetrics: await claimVariable('EDGE_METRICS_PORT', settings.EDGE_METRICS_HOST),
  }
}

/** The demos of two gateways have a receiver each. */
export async function allowSecondReceiver({
  PORT,
  NETWORK,
  WEBHOOK_ALLOWLIST,
  explicit,
}: Settings): Promise<string> {
  if (!isSecondGateway(PORT) || NETWORK !== 'simulator' || explicit.has('WEBHOOK_ALLOWLIST'))
    return WEBHOOK_ALLOWLIST
  return `${WEBHOOK_ALLOWLIST},${LOOPBACK}:${await freePort()}`
}
