// Runs workflows with n8n's own engine (n8n-core): its loader of packages, its execution of workflows, its contexts of hooks and webhooks. What n8n's server does around them is here: the HTTP server of webhooks, and the credentials.

import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

interface Credential {
  baseUrl: string
  token: string
}

export interface Outcome {
  items: Seen[]
  /** Of the output for errors, where the node has one. */
  failed: Seen[]
  error: Seen
}

/** Of one node that is run with these items. */
export interface NodeRun {
  type?: string
  parameters: Record<string, unknown>
  items?: Seen[]
  executionId?: string
  settings?: Record<string, unknown>
}

export type Runner = Awaited<ReturnType<typeof startRunner>>

export async function startRunner() {
  const folder = mkdtempSync(join(tmpdir(), 'n8n-'))
  process.env.N8N_USER_FOLDER = folder
  process.env.N8N_ENCRYPTION_KEY = 'of a test'
  const core: Seen = load('n8n-core')
  const workflowLibrary: Seen = load('n8n-workflow')
  const loader = new core.PackageDirectoryLoader(packageFolder)
  await loader.loadAll()
  const nodeTypes = buildNodeTypes(loader, workflowLibrary)
  let credential: Credential = { baseUrl: '', token: '' }
  const buildData = (executionId: string, more: object = {}) => ({
    credentialsHelper: buildCredentialsHelper(loader, () => credential),
    executionId,
    currentNodeExecutionIndex: 0,
    restApiUrl: '',
    instanceBaseUrl: '',
    webhookBaseUrl: `${base}/webhook`,
    webhookTestBaseUrl: `${base}/webhook-test`,
    webhookWaitingBaseUrl: `${base}/webhook-waiting`,
    formWaitingBaseUrl: `${base}/form-waiting`,
    variables: {},
    hooks: new core.ExecutionLifecycleHooks('manual', executionId, { id: 'w1', nodes: [] }),
    ...more,
  })
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const base = `http://${place}`

  function buildWorkflow(run: NodeRun, staticData: object = {}) {
    const node = {
      id: 'b7f5c2b4-0000-4000-8000-000000000001',
      name: 'Msgnet',
      type: `n8n-nodes-msgnet.${run.type ?? 'msgnet'}`,
      typeVersion: 1,
      position: [0, 0],
      parameters: run.parameters,
      credentials: { msgnetApi: { id: '1', name: 'Shop' } },
      ...run.settings,
    }
    const start = {
      ...node,
      id: 'start',
      name: 'Start',
      type: 'test.start',
      parameters: {},
      onError: undefined,
    }
    const workflow = new workflowLibrary.Workflow({
      id: 'w1',
      nodes: [start, node],
      connections: { Start: { main: [[{ node: 'Msgnet', type: 'main', index: 0 }]] } },
      active: true,
      nodeTypes,
      staticData,
    })
    return { workflow, node, start }
  }

  return {
    core,
    loader,
    place,
    server,
    setCredential(next: Credential) {
      credential = next
    },
    /** Runs the node as a step of a workflow. */
    async runNode(run: NodeRun): Promise<Outcome> {
      const { workflow, start } = buildWorkflow(run)
      const data = buildData(run.executionId ?? '1')
      const pinData = { Start: run.items ?? [{ json: {} }] }
      const finished = await new core.WorkflowExecute(data, 'manual').run({
        workflow,
        startNode: start,
        pinData,
      })
      const [task] = finished.data.resultData.runData.Msgnet ?? []
      const [items = [], failed = []] = task?.data?.main ?? []
      return { items, failed, error: task?.error ?? finished.data.resultData.error }
    },
    /** A trigger with its static data, as n8n stores it with the workflow. */
    openTrigger(parameters: Record<string, unknown>, staticData: Record<string, Seen> = {}) {
      const { workflow, node } = buildWorkflow({ type: 'msgnetTrigger', parameters }, staticData)
      const type = nodeTypes.getByNameAndVersion(node.type)
      const description = { webhookDescription: type.description.webhooks[0] }
      const hook = (name: 'checkExists' | 'create' | 'delete'): Promise<boolean> =>
        type.webhookMethods.default[name].call(
          new core.HookContext(workflow, node, buildData('1'), 'trigger', 'activate', description),
        )
      return {
        staticData,
        hook,
        url: new core.HookContext(
          workflow,
          node,
          buildData('1'),
          'trigger',
          'activate',
          description,
        ).getNodeWebhookUrl('default') as string,
        async receive(request: IncomingMessage, response: ServerResponse): Promise<Seen> {
          const rawBody = await buffer(request)
          Object.assign(request, { rawBody, body: JSON.parse(String(rawBody)), params: {}, query: {} })
          const data = buildData('1', { httpRequest: request, httpResponse: response })
          const context = new core.WebhookContext(workflow, node, data, 'webhook', description, [], null)
          return await type.webhook.call(context)
        },
      }
    },
    /** What the nodes had in memory is gone. */
    async restart() {
      loader.reset()
      await loader.loadAll()
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function buildNodeTypes(loader: Seen, { NodeHelpers }: Seen) {
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
  const find = (name: string): Seen =>
    name === 'test.start' ? start : loader.getNode(name.replace('n8n-nodes-msgnet.', '')).type
  return {
    getByName: find,
    getByNameAndVersion: (name: string, version?: number): Seen =>
      NodeHelpers.getVersionedNodeType(find(name), version),
    getKnownTypes: () => ({}),
  }
}

/** Of n8n's server, with the credential type of the package: what it says about the request is added to it. */
function buildCredentialsHelper(loader: Seen, getCredential: () => Credential) {
  return {
    getParentTypes: () => [],
    isCredentialUsableByNode: () => true,
    getCredentialsProperties: (name: string) => loader.getCredential(name).type.properties,
    getDecrypted: async () => getCredential(),
    preAuthentication: async () => undefined,
    async authenticate(credential: Credential, name: string, request: Seen) {
      const { headers } = loader.getCredential(name).type.authenticate.properties
      const resolve = (text: string) => text.replace('={{$credentials.token}}', credential.token)
      const added = Object.entries<string>(headers).map(([header, text]) => [header, resolve(text)])
      return { ...request, headers: { ...request.headers, ...Object.fromEntries(added) } }
    },
  }
}
