// Files that the bridge to Chatwoot reads: never more than its limit, and under a name that is no trap.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isFileLost, nameByAddress, readBytes } from '@msgnet/bridges/chatwoot/read-file.ts'
import { GatewayError } from '@msgnet/client/client.ts'
import { afterAll, expect, test } from 'vitest'

let sent = 0
const server = createServer((request, response) => {
  if (request.url === '/short') return response.end('short')
  // Without a length, and without an end.
  const write = () => {
    while (!response.destroyed && response.write(Buffer.alloc(64 * 1024))) sent += 64 * 1024
  }
  response.on('drain', write)
  write()
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
afterAll(() => void server.close())

test('a file without a length is read up to the limit only', async () => {
  expect(await readBytes(await fetch(`${url}/endless`), 1_000_000)).toBeUndefined()
  expect(sent).toBeLessThan(50_000_000)
  expect((await readBytes(await fetch(`${url}/short`), 1_000_000))?.toString()).toBe('short')
})

test.each([
  [404, { error: 'message_not_found' }, true],
  [502, { error: 'media_unavailable', error_key: 'media_lost' }, true],
  [502, { error: 'media_unavailable', error_key: 'phone_silent' }, false],
  [401, { error: 'unauthorized' }, false],
  [409, { error: 'not_connected' }, false],
  [429, { error: 'quota_reached' }, false],
] as const)('a download that is refused with %i %o is the end of its file: %s', (status, body, isLost) => {
  expect(isFileLost(new GatewayError(new Response(null, { status }), body, undefined))).toBe(isLost)
})

test('a stray percent sign in an address is part of the name', () => {
  expect(nameByAddress('https://chat.example/files/50%25%20off.pdf?x=1')).toBe('50% off.pdf')
  expect(nameByAddress('https://chat.example/files/50%.pdf')).toBe('50%.pdf')
  expect(nameByAddress('https://chat.example/files/')).toBe('file')
})
