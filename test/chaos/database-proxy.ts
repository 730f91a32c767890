// A database server of one test, behind a proxy that can kill the edge between a commit and its response.

import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { createDatabaseToken, planDatabase } from '@msgnet/cli/parts/database-part.ts'
import { freePort } from '@msgnet/cli/settings/ports.ts'
import { until } from '../until.ts'

export type DatabaseProxy = Awaited<ReturnType<typeof startDatabaseProxy>>

export async function startDatabaseProxy() {
  const folder = mkdtempSync(join(tmpdir(), 'database-'))
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const port = await freePort()
  mkdirSync(join(folder, 'logs'))
  const { command, args, env } = planDatabase(folder, port, pem)
  const sqld: ChildProcess = spawn(command, args, { env, stdio: 'ignore' })
  const behind = `http://127.0.0.1:${port}`
  await until(async () => (await fetch(`${behind}/health`)).ok)

  const statements = new Set<string>()
  let trap: { matchesRequest(request: string): boolean; killParts(): void } | undefined
  async function serveRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request)
    for (const [, sql] of body.toString().matchAll(/"sql":("(?:[^"\\]|\\.)*")/g))
      statements.add(JSON.parse(sql ?? ''))
    const { host: _, connection: __, ...headers } = request.headers
    const upstream = await fetch(behind + request.url, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(body.length > 0 && { body }),
    })
    const content = Buffer.from(await upstream.arrayBuffer())
    if (trap?.matchesRequest(body.toString())) {
      const { killParts } = trap
      trap = undefined
      killParts()
      response.destroy()
      return
    }
    response
      .writeHead(upstream.status, { 'content-type': upstream.headers.get('content-type') ?? '' })
      .end(content)
  }

  const server = createServer((request, response) => {
    // The edge was killed during the request, or the test is over: a client that still waits gets no response.
    serveRequest(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: createDatabaseToken(pem),
    /** Every statement that was requested, once. */
    statements,
    /** The next request that fits is executed, and its client is killed instead of getting a response. */
    killAtNext(fits: (request: string) => boolean, kill: () => void) {
      trap = { matchesRequest: fits, killParts: kill }
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      const gone = new Promise((resolve) => sqld.once('exit', resolve))
      sqld.kill('SIGKILL')
      await gone
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
