// Runs workflows with n8n's own engine (n8n-core): its loader of packages, its execution of workflows, its contexts of hooks and webhooks. What n8n's server does around them is here: the HTTP server of webhooks, and the credentials.

import { copyFileSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { buildN8nPackage } from '@msgnet/cli/build/clients/n8n-package.ts'
import { listenAtReserved } from '../reserved-ports.ts'
import type { Seen } from '../scene.ts'

export const packageFolder = join(import.meta.dirname, '..', '..', 'clients', 'n8n-nodes-msgnet')
const load = createRequire(join(packageFolder, 'package.json'))

export const isN8nInstalled = (): boolean => {
  try {
    return load.resolve('n8n-core') !== ''
  } catch {
    return false
  }
}

/** Its fields, as the credential type of the package names them. */
type Credential = Record<string, string>

export interface Outcome {
  items: Seen[]
  /** Of the output for errors, where the node has one. */
  failed: Seen[]
  error: Seen
}

/** One node that is run with these items. */
export interface NodeRun {
  type?: string
  parameters: Record<string, unknown>
  items?: Seen[]
  executionId?: string
  settings?: Record<string, unknown>
}

interface NodePackage {
  /** Its folder; without it our own package, as it is published. */
  folder?: string
  /** The type of its credential. */
  credential: string
}

export async function startRunner(
  { folder: installed, credential }: NodePackage = { credential: 'msgnetApi' },
): Promise<Runner> {
  const folder = mkdtempSync(join(tmpdir(), 'n8n-'))
  process.env.N8N_USER_FOLDER = folder
  process.env.N8N_ENCRYPTION_KEY = 'of a test'
  const server = createServer()
  await listenAtReserved(server)
  const core = load('n8n-core')
  const loader = new core.PackageDirectoryLoader(installed ?? (await installPackage(folder)))
  await loader.loadAll()
  return new Runner({ core, loader, server, folder, credential })
}

/** Built as it is published, beside the packages that n8n has. */
async function installPackage(folder: string): Promise<string> {
  await buildN8nPackage(join(folder, 'dist'))
  copyFileSync(join(packageFolder, 'package.json'), join(folder, 'package.json'))
  symlinkSync(join(packageFolder, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

export class Runner {
  readonly core: Seen
  readonly loader: Seen
  readonly server: ReturnType<typeof createServer>
  readonly #folder: string
  readonly #library: Seen = load('n8n-workflow')
  readonly #credentialType: string
  #credential: Credential = {}

  constructor(parts: Pick<Runner, 'core' | 'loader' | 'server'> & { folder: string; credential: string }) {
    this.core = parts.core
    this.loader = parts.loader
    this.server = parts.server
    this.#folder = parts.folder
    this.#credentialType = parts.credential
  }

  /** `host:port` of the webhooks. */
  get place(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  setCredential(credential: Credential): void {
    this.#credential = credential
  }

  /** Runs the node as a step of a workflow. */
  async runNode(run: NodeRun): Promise<Outcome> {
    const { workflow, start } = this.buildWorkflow(run)
    const data = this.buildData(run.executionId ?? '1')
    const pinData = { Start: run.items ?? [{ json: {} }] }
    const execution = new this.core.WorkflowExecute(data, 'manual')
    const { data: result } = await execution.run({ workflow, startNode: start, pinData })
    const [task] = result.resultData.runData.Msgnet ?? []
    const [items = [], failed = []] = task?.data?.main ?? []
    return { items, failed, error: task?.error ?? result.resultData.error }
  }

  /** A trigger with its static data, as n8n stores it with the workflow. */
  openTrigger(parameters: Record<string, unknown>, staticData: Record<string, Seen> = {}): Trigger {
    return new Trigger(this, { type: 'msgnetTrigger', parameters }, staticData)
  }

  /** What the nodes had in memory is gone. */
  async restart(): Promise<void> {
    this.loader.reset()
    await this.loader.loadAll()
  }

  async close(): Promise<void> {
    this.server.closeAllConnections()
    await new Promise((resolve) => this.server.close(resolve))
    rmSync(this.#folder, { recursive: true, force: true })
  }

  findType(name: string): Seen {
    return name === 'test.start' ? start : this.loader.getNode(name.replace('n8n-nodes-msgnet.', '')).type
  }

  buildWorkflow({ type = 'msgnet', parameters, settings }: NodeRun, staticData: object = {}) {
    const node = {
      id: 'b7f5c2b4-0000-4000-8000-000000000001',
      name: 'Msgnet',
      type: `n8n-nodes-msgnet.${type}`,
      typeVersion: 1,
      position: [0, 0],
      parameters,
      credentials: { [this.#credentialType]: { id: '1', name: 'Shop' } },
      ...settings,
    }
    const first = {
      ...node,
      id: 'start',
      name: 'Start',
      type: 'test.start',
      parameters: {},
      onError: undefined,
    }
    const find = (name: string) => this.findType(name)
    const workflow = new this.#library.Workflow({
      id: 'w1',
      nodes: [first, node],
      connections: { Start: { main: [[{ node: 'Msgnet', type: 'main', index: 0 }]] } },
      active: true,
      nodeTypes: { getByName: find, getByNameAndVersion: find, getKnownTypes: () => ({}) },
      staticData,
    })
    return { workflow, node, start: first }
  }

  buildData(executionId: string, more: object = {}) {
    const base = `http://${this.place}`
    return {
      credentialsHelper: this.#buildCredentialsHelper(),
      executionId,
      currentNodeExecutionIndex: 0,
      webhookBaseUrl: `${base}/webhook`,
      webhookTestBaseUrl: `${base}/webhook-test`,
      webhookWaitingBaseUrl: `${base}/webhook-waiting`,
      formWaitingBaseUrl: `${base}/form-waiting`,
      variables: {},
      hooks: new this.core.ExecutionLifecycleHooks('manual', executionId, { id: 'w1', nodes: [] }),
      ...more,
    }
  }

  /** Of n8n's server, with the credential type of the package: what it says about the request is added to it. */
  #buildCredentialsHelper() {
    const findCredential = (name: string) => this.loader.getCredential(name).type
    return {
      getParentTypes: () => [],
      isCredentialUsableByNode: () => true,
      getCredentialsProperties: (name: string) => findCredential(name).properties,
      getDecrypted: async () => this.#credential,
      preAuthentication: async () => undefined,
      async authenticate(credential: Credential, name: string, request: Seen) {
        const { headers } = findCredential(name).authenticate.properties
        const resolve = (text: string) => text.replace('={{$credentials.token}}', credential.token ?? '')
        const added = Object.entries<string>(headers).map(([header, text]) => [header, resolve(text)])
        return { ...request, headers: { ...request.headers, ...Object.fromEntries(added) } }
      },
    }
  }
}

const start = {
  description: {
    displayName: 'Start',
    name: 'start',
    group: ['trigger'],
    version: 1,
    description: '',
    defaults: {},
    inputs: [],
    outputs: ['main'],
    properties: [],
  },
  execute: async () => [[{ json: {} }]],
}

export class Trigger {
  readonly staticData: Record<string, Seen>
  readonly #runner: Runner
  readonly #built: ReturnType<Runner['buildWorkflow']>
  readonly #type: Seen

  constructor(runner: Runner, run: NodeRun, staticData: Record<string, Seen>) {
    this.staticData = staticData
    this.#runner = runner
    this.#built = runner.buildWorkflow(run, staticData)
    this.#type = runner.findType(this.#built.node.type)
  }

  get url(): string {
    return this.#createHookContext().getNodeWebhookUrl('default')
  }

  runHook(name: 'checkExists' | 'create' | 'delete'): Promise<boolean> {
    return this.#type.webhookMethods.default[name].call(this.#createHookContext())
  }

  async receive(request: IncomingMessage, response: ServerResponse): Promise<Seen> {
    const rawBody = await buffer(request)
    Object.assign(request, { rawBody, body: JSON.parse(String(rawBody)), params: {}, query: {} })
    const { workflow, node } = this.#built
    const data = this.#runner.buildData('1', { httpRequest: request, httpResponse: response })
    const { WebhookContext } = this.#runner.core
    const context = new WebhookContext(workflow, node, data, 'webhook', this.#describe(), [], null)
    return await this.#type.webhook.call(context)
  }

  #createHookContext(): Seen {
    const { workflow, node } = this.#built
    const { HookContext } = this.#runner.core
    return new HookContext(
      workflow,
      node,
      this.#runner.buildData('1'),
      'trigger',
      'activate',
      this.#describe(),
    )
  }

  #describe() {
    return { webhookDescription: this.#type.description.webhooks[0] }
  }
}
