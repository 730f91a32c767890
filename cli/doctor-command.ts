// `npm run doctor`: finds the settings of this machine's host, and starts a process that examines machine, network and device with them.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { OperatorError, withOperatorErrors } from '@msgnet/shared/node/operator-errors.ts'
import { runCommand } from '@msgnet/shared/node/run-command.ts'
import { projectRoot } from './build/root.ts'
import { findLayout, layoutOptions } from './data-folder/layout.ts'
import { buildHostVariables } from './parts/host-part.ts'
import { type NetworkAccess, readSimulatedNetwork } from './parts/simulator-part.ts'
import { quickArgs, quickEnv } from './processes/quick-node.ts'
import type { Settings } from './settings/gateway-settings.ts'

/** The one of the live network that its clients have built in. The others are known only after a login. */
const LIVE_MEDIA_HOST = 'mmg.whatsapp.net'
const LIVE_ECHO = 'https://www.cloudflare.com/cdn-cgi/trace'
/** The doctor has no link: it needs no token, but a host's settings have one. */
const NO_LINK = { EDGE_URL: 'http://127.0.0.1', HOST_TOKEN: `mgh_${'-'.repeat(43)}` }

type Access = NetworkAccess & { mediaHosts: string[] }

async function findNetwork(settings: Settings, simulatorUrl: string): Promise<Access> {
  const { NETWORK, NETWORK_URL = '', NETWORK_ROOT_KEY = '', NETWORK_MEDIA_CA = '' } = settings
  const configured = { url: NETWORK_URL, rootKey: NETWORK_ROOT_KEY, mediaCa: NETWORK_MEDIA_CA }
  if (NETWORK === 'live') return { ...configured, mediaHosts: NETWORK_URL ? [] : [LIVE_MEDIA_HOST] }
  if (NETWORK_URL) return { ...configured, mediaHosts: [] }
  const port = Number(URL.parse(simulatorUrl)?.port || settings.SIMULATOR_PORT)
  const found = await readSimulatedNetwork(port).catch(() => {
    throw new OperatorError(
      `The simulated network does not run on port ${port}: npm start or npm run simulator, or NETWORK=live.`,
    )
  })
  return { ...found, mediaHosts: (found as Partial<Access>).mediaHosts ?? [] }
}

async function runDoctor(): Promise<void> {
  const { values } = parseArgs({
    options: {
      ...layoutOptions,
      instance: { type: 'string' },
      proxy: { type: 'string' },
      media: { type: 'string', multiple: true },
      echo: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  })
  const { host, run } = await findLayout({ ...values, only: 'host' })
  if (!host) throw new OperatorError('This machine has no host.')
  const { settings, sealKeys } = host
  const network = await findNetwork(settings, run?.simulatorUrl ?? '')
  const echo = values.echo ?? (settings.NETWORK === 'live' ? LIVE_ECHO : undefined)
  const options = Object.entries({ instance: values.instance, proxy: values.proxy, echo })
  const args = [
    ...options.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value])),
    ...(values.media ?? network.mediaHosts).flatMap((one) => ['--media', one]),
    ...(values.json ? ['--json'] : []),
  ]
  const program = join(projectRoot, 'session-host', 'doctor', 'run-doctor.ts')
  const { status } = spawnSync(process.execPath, [...quickArgs, program, ...args], {
    stdio: 'inherit',
    env: {
      ...process.env,
      ...quickEnv,
      ...NO_LINK,
      ...buildHostVariables(settings, network),
      // Without a gateway there are none yet, and nothing is opened with these.
      HOST_SEAL_KEYS: sealKeys || `none:${Buffer.alloc(32).toString('base64')}`,
    },
  })
  process.exitCode = status ?? 1
}

await runCommand(() => withOperatorErrors(runDoctor))
