// The clients in other languages take over a device that the unmodified library has linked, line by line from a file.

import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { BufferJSON } from 'baileys'
import { afterAll, describe, expect, test } from 'vitest'
import { borrowForFile } from '../borrowed-world.ts'
import { clients, createEnvironment, findMissing, languages } from '../clients/languages.ts'
import { createDevice, createPhone, waitUntilConnected } from '../device.ts'
import { joinLines, writeImportLines } from './memory-keys.ts'
import { linkMovingClient } from './moving-client.ts'

const world = await borrowForFile()
const folder = mkdtempSync(join(tmpdir(), 'imported-device-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Linked elsewhere and ended; the file has its credential. */
async function writeCredential(language: string): Promise<{ account: string; rows: number; file: string }> {
  const number = await createPhone(world, 'Shop')
  const client = await linkMovingClient(world, number)
  client.end()
  const account = `${number}@s.msgnet.net`
  const { auth, keys } = client
  const lines = writeImportLines({ account, creds: auth.creds, keys, replacer: BufferJSON.replacer })
  const file = join(folder, `${language}.ndjson`)
  writeFileSync(file, joinLines(lines))
  return { account, rows: lines.length - 2, file }
}

describe.each(languages)('the client in $language', (own) => {
  test('imports a device by its example, which connects without a code, and once only', async ({ skip }) => {
    const missing = findMissing(own)
    if (missing) skip(missing)
    const { account, rows, file } = await writeCredential(own.language)
    const device = await createDevice(world, own.language)
    const [command = '', ...args] = own.importer
    const run = () =>
      promisify(execFile)(command, [...args, file], {
        cwd: join(clients, own.language),
        env: createEnvironment({ GATEWAY: world.run.baseUrl, TOKEN: device.token }),
      })
    expect((await run()).stdout).toBe(`${account} ${rows}\n`)
    await waitUntilConnected(device)
    expect((await device.caller.get('/instance/status')).body).toMatchObject({ loggedIn: true, jid: account })
    const again = await run().catch((failure: { stdout: string; stderr: string }) => failure)
    expect(again.stdout + again.stderr).toContain('session_conflict')
  })
})
