// A first message in the container of the whole gateway, without an engine: on the files that its image would have.

import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { freePort } from '@msgnet/cli/settings/ports.ts'
import { Containers, createTrialVariables, readServices } from '../deploy/containers.ts'
import { buildImages } from '../deploy/images.ts'
import type { WayRow } from '../figures/figures.ts'
import { until } from '../until.ts'

const DEMO = 'cli/node cli/demo.ts'

/** Into a folder that it makes. */
export async function measureContainer(folder: string): Promise<WayRow> {
  mkdirSync(folder)
  const readDeploy = (name: string) => readFileSync(join(projectRoot, 'deploy', name), 'utf8')
  const ports = new Map<number, number>()
  for (const port of [8787, 9464, 9465]) ports.set(port, await freePort())
  const { all } = readServices(readDeploy('one-container.yaml'))
  const services = { all: { image: 'msgnet-all', ...all, environment: await createTrialVariables() } }
  const containers = new Containers({
    ...buildImages(readDeploy('Dockerfile'), folder),
    services,
    folder,
    ports,
    skipped: [],
  })
  try {
    const startedAt = performance.now()
    await containers.startServices([])
    // It is healthy as soon as its API answers, and then starts its host.
    await until(() => existsSync(join(folder, 'volumes', 'data', 'running.json')))
    const readyAt = performance.now()
    containers.runCommand('all', DEMO.split(' '))
    const message = (performance.now() - readyAt) / 1000
    return {
      way: 'container',
      commands: ['docker run --env NETWORK=simulator', `docker exec msgnet ${DEMO}`],
      node: process.version.slice(1),
      seconds: { ready: (readyAt - startedAt) / 1000, message },
    }
  } finally {
    containers.close()
  }
}
