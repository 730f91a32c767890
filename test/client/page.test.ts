// The programs on the page about the client (docs/use/client.md), as they stand there.

import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { deliveries } from '@msgnet/openapi/delivery-section.ts'
import { Webhook } from 'standardwebhooks'
import { afterAll, expect, test } from 'vitest'
import { SECRET } from '../device.ts'
import { borrowStage } from '../scene.ts'

const { world } = await borrowStage()
const folder = mkdtempSync(join(tmpdir(), 'client-page-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const page = readFileSync(join(projectRoot, 'docs/use/client.md'), 'utf8')
const programs = [...page.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, program = '']) => program)
const [everyCall = ''] = programs
const fetchHandler = programs.find((program) => program.includes('function POST')) ?? ''

const text = 'A text that was signed'
const body = JSON.stringify({
  ...(Object.values(deliveries.messages?.examples ?? {})[0] as object),
  message: { text },
})
const now = new Date()
const headers = {
  'webhook-id': 'event-1',
  'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
  'webhook-signature': new Webhook(SECRET).sign('event-1', now, body),
}

/** Runs a program with what the page supposes, and returns what it prints. `last` uses what it declares. */
async function runProgram(program: string, last = ''): Promise<string> {
  const client = join(projectRoot, 'clients/typescript/client.ts')
  const supposed = `
    ${program.includes('import') ? '' : `import { verifyWebhook } from 'msgnet-gateway-client'`}
    const { adminToken, secret, body, headers } = JSON.parse(process.env.SUPPOSED)
    const request = new Request('http://127.0.0.1/', { method: 'POST', headers, body })
    const reconcile = (messageid) => console.log('reconcile', messageid)
  `
  const file = join(folder, `${crypto.randomUUID()}.mts`)
  writeFileSync(
    file,
    `${supposed}\n${program}\n${last}`
      .replaceAll("'msgnet-gateway-client'", `'${client}'`)
      .replaceAll('http://127.0.0.1:8787', world.run.baseUrl),
  )
  const adminToken = readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim()
  const SUPPOSED = JSON.stringify({ adminToken, secret: SECRET, body, headers })
  const env = { ...process.env, SUPPOSED }
  return (await promisify(execFile)(process.execPath, [file], { env })).stdout
}

test('the first one creates an instance, connects it, and reads a signed event', async () => {
  expect((await runProgram(everyCall, 'console.log(instance.name, Boolean(pairing))')).trim()).toBe(
    `${text}\nShop true`,
  )
})

test('the handler of servers based on fetch accepts what is signed, and nothing else', async () => {
  const last = `
    console.log((await POST(request)).status)
    const other = new Request('http://127.0.0.1/', { method: 'POST', headers, body: body + ' ' })
    console.log(await POST(other).catch(({ reason }) => reason))
  `
  expect((await runProgram(fetchHandler, last)).trim()).toBe('204\nno_signature_fits')
})
