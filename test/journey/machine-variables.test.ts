// What Node and its libraries read of the environment reaches every part that `npm start` starts, and nothing else of it does.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startWorld } from '../world.ts'

const folder = mkdtempSync(join(tmpdir(), 'machine-'))
const authority = join(folder, 'authority.pem')
writeFileSync(authority, '')
const machine = {
  NODE_EXTRA_CA_CERTS: authority,
  SSL_CERT_FILE: authority,
  TZ: 'UTC',
  TMPDIR: folder,
  LANG: 'C',
}
const world = await startWorld({ ...machine, SOMETHING_ELSE: 'of the shell' })
afterAll(async () => {
  await world.close()
  rmSync(folder, { recursive: true, force: true })
})

test.each(['edge', 'session host', 'simulator'])('the %s has the variables of the machine', (part) => {
  const environment = readFileSync(`/proc/${world.findPid(part)}/environ`, 'utf8').split('\0')
  for (const [name, value] of Object.entries(machine)) expect(environment).toContain(`${name}=${value}`)
  expect(environment.filter((line) => line.startsWith('SOMETHING_ELSE'))).toEqual([])
})
