// A simulated network of its own for each test, and the library's clients that connect to it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Simulator, startSimulator } from '@msgnet/simulator/simulator.ts'
import { onTestFinished } from 'vitest'
import { Client } from './client.ts'

export type ControlResponse = { status: number; body: Record<string, unknown> }

export class World {
  readonly dataDir = mkdtempSync(join(tmpdir(), 'simulator-'))
  readonly #clients: Client[] = []
  simulator: Simulator

  private constructor(simulator: Simulator, dataDir: string) {
    this.simulator = simulator
    this.dataDir = dataDir
  }

  static async openWorld(): Promise<World> {
    const dataDir = mkdtempSync(join(tmpdir(), 'simulator-'))
    const world = new World(await startSimulator({ port: 0, dataDir }), dataDir)
    onTestFinished(() => world.#close())
    return world
  }

  async restart() {
    await this.simulator.close()
    this.simulator = await startSimulator({ port: 0, dataDir: this.dataDir })
  }

  async callControl(method: string, path: string, body?: object): Promise<ControlResponse> {
    const response = await fetch(`${this.simulator.url}/sim${path}`, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }

  post = (path: string, body: object = {}) => this.callControl('POST', path, body)
  get = (path: string) => this.callControl('GET', path)

  async readList(path: string, key: string): Promise<Record<string, unknown>[]> {
    return (await this.get(path)).body[key] as Record<string, unknown>[]
  }

  createClient(): Client {
    const client = new Client(() => this.simulator.networkUrl)
    this.#clients.push(client)
    return client
  }

  /**
   * A client that is linked to this number by QR code and online. The library writes to any address that it gets,
   * so the account decides which addresses a test may use.
   */
  async linkClient(number: string, { lidMigrated = false } = {}): Promise<Client> {
    await this.post('/phones', { number, lidMigrated })
    const client = this.createClient()
    client.connect()
    const qr = await client.waitForQr()
    const scanned = await this.post(`/phones/${number}/scan`, { qr })
    if (scanned.status !== 200) throw new Error(`not linked: ${JSON.stringify(scanned.body)}`)
    await client.waitForClose()
    await client.goOnline()
    await client.waitForKeys()
    return client
  }

  async #close() {
    for (const client of this.#clients) client.end()
    await this.simulator.close()
    rmSync(this.dataDir, { recursive: true, force: true })
  }
}
