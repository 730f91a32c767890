// The page "By hand", line by line in a shell, with a wait for the output of each.

import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { until } from '../until.ts'
import { startWorld } from '../world.ts'

const world = await startWorld()
afterAll(() => world.close())

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'use', 'by-hand.md'), 'utf8')
const [, block = ''] = /```sh\n([\s\S]*?)```/.exec(page) ?? []
const here = block
  .replace('.data/admin-token', join(world.dataDir, 'admin-token'))
  .replace('http://127.0.0.1:8787', world.run.baseUrl)
  .replace('http://127.0.0.1:8799', world.run.simulatorUrl)
const lines = here.replaceAll('\\\n', ' ').trim().split('\n')

test('every command works, and the last one sends a message', async () => {
  let known = ''
  let response = ''
  let token = ''
  for (const line of lines) {
    if (line.startsWith('TOKEN=')) {
      token = JSON.parse(response).instance.token
      known += `TOKEN='${token}'\n`
    } else if (line.startsWith('QR=')) known += `QR='${JSON.parse(response).pairing.qr}'\n`
    else if (line.startsWith('curl')) {
      const { stdout } = await promisify(execFile)('bash', [
        '-c',
        `${known}${line.replace('-s', '-sS --fail')}`,
      ])
      response = stdout
      if (line.includes('/scan')) await until(() => isLinked(token))
    } else known += `${line}\n`
  }
  expect(JSON.parse(response)).toMatchObject({ text: 'Good morning', wasSentByApi: true })
  await until(async () => {
    const inbox = await world.sim('GET', '/phones/5511999999999/inbox')
    return JSON.stringify(inbox).includes('"Good morning"')
  })
})

const isLinked = async (token: string) => (await world.callAs(token).get('/instance/status')).body.loggedIn
