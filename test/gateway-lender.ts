// Lends gateways to the processes that run the test files: it starts one for each set of variables that a file asks for, and lends
// it to a file after another, whichever process runs them. In the process of the whole run, whose end is theirs.

import { mkdtempSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { startWorld, type World } from './world.ts'

/** Each is 250 MB of memory. */
const MAX_UNUSED = 9

export interface Wish {
  env: Record<string, string>
  /** The test file that asks. */
  file: string
}

export interface Return {
  dataDir: string
  /** It may be lent again. */
  cleared: boolean
}

interface Lendable {
  /** Its variables. */
  key: string
  world: World
}

export class GatewayLender {
  readonly #folder: string
  readonly #lent = new Map<string, Lendable>()
  /** The one that was given back last is the first. */
  readonly #unused: Lendable[] = []
  /** How many files asked for each key. */
  readonly #requests = new Map<string, number>()
  readonly #server = createServer((request, response) => {
    this.#answer(request).then(
      (answer) => response.end(JSON.stringify(answer)),
      (error) => response.writeHead(500).end(String(error)),
    )
  })

  /** The data of the gateways is in this folder. */
  constructor(folder: string) {
    this.#folder = folder
    // A connection that stays open is closed while a process that is busy with a test does not notice.
    this.#server.maxRequestsPerSocket = 1
  }

  /** Its address. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    const all = [...this.#unused, ...this.#lent.values()]
    await Promise.all(all.map(({ world }) => world.close()))
  }

  async #answer(request: IncomingMessage): Promise<unknown> {
    const body = await json(request)
    return request.url === '/borrow' ? this.#lend(body as Wish) : this.#takeBack(body as Return)
  }

  async #lend({ env, file }: Wish): Promise<{ dataDir: string }> {
    // An empty variable is one that is not set.
    const key = JSON.stringify(
      Object.entries(env)
        .filter(([, value]) => value)
        .sort(),
    )
    this.#requests.set(key, (this.#requests.get(key) ?? 0) + 1)
    const place = this.#unused.findIndex((lendable) => lendable.key === key)
    const [found] = place < 0 ? [] : this.#unused.splice(place, 1)
    const lendable = found ?? { key, world: await this.#start(env, file) }
    const { dataDir } = lendable.world
    this.#lent.set(dataDir, lendable)
    return { dataDir }
  }

  #start(env: Record<string, string>, file: string): Promise<World> {
    const dataDir = mkdtempSync(join(this.#folder, 'gateway-'))
    return startWorld(env, undefined, undefined, dataDir, file)
  }

  async #takeBack({ dataDir, cleared }: Return): Promise<null> {
    const lendable = this.#lent.get(dataDir)
    if (!lendable) throw new Error(`no gateway of ${dataDir} is lent`)
    this.#lent.delete(dataDir)
    if (!cleared) {
      await lendable.world.close()
      return null
    }
    this.#unused.unshift(lendable)
    if (this.#unused.length > MAX_UNUSED) {
      // What few files asked for is the least likely to be asked for again.
      this.#unused.sort((one, other) => this.#countRequests(other) - this.#countRequests(one))
      await this.#unused.pop()?.world.close()
    }
    return null
  }

  #countRequests({ key }: Lendable): number {
    return this.#requests.get(key) ?? 0
  }
}
