// `npm run test:mcp`: runs the public conformance suite of the Model Context Protocol against a gateway, its cases of servers and of
// what authorizes clients, and prints what applies. Exit 1 if that fails.
// The suite and its hundred packages are no dependency: npx fetches them.

import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { freePort } from '@msgnet/cli/settings/ports.ts'
import { toolSets } from '@msgnet/shared/contract/tool-sets.ts'
import { createClient } from '../authorization.ts'
import { createDevice } from '../device.ts'
import { startForwarder } from '../forwarder.ts'
import { startWorld } from '../world.ts'

const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12'
const REVISIONS = ['2025-06-18', '2025-11-25', '2026-07-28']

const OF_EXAMPLE = 'calls a tool of the example server of the suite'
const NO_RESOURCES = 'the gateway has no resources'
const NO_PROMPTS = 'the gateway has no prompts'
const NO_SESSIONS = 'the gateway has no sessions'
const NO_QUESTIONS = 'no tool asks its caller for more input'

/** Scenarios that do not apply, and single checks of one as `scenario/check`; `*` stands for any end of a name. */
const notApplicable: Record<string, string> = {
  'logging-set-level': 'the gateway sends no log messages',
  'completion-complete': 'the gateway completes no arguments',
  'tools-call-*': OF_EXAMPLE,
  'json-schema-2020-12': OF_EXAMPLE,
  'elicitation-*': OF_EXAMPLE,
  'input-required-result-*': NO_QUESTIONS,
  'resources-*': NO_RESOURCES,
  'sep-2164-resource-not-found': NO_RESOURCES,
  'prompts-*': NO_PROMPTS,
  'server-session-lifecycle': NO_SESSIONS,
  'server-sse-*': NO_SESSIONS,
  'http-custom-header-server-validation': 'no tool has an argument that is a header',
  'server-stateless/sep-2575-server-rejects-undeclared-capability': OF_EXAMPLE,
  'server-stateless/sep-2575-missing-capability-http-400': OF_EXAMPLE,
  'server-stateless/sep-2575-http-server-no-independent-requests-on-stream': OF_EXAMPLE,
  'server-stateless/sep-2575-server-no-log-without-loglevel': OF_EXAMPLE,
  'caching/sep-2549-resources-*': NO_RESOURCES,
  'caching/sep-2549-prompts-*': NO_PROMPTS,
}

interface Check {
  id: string
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  errorMessage?: string
}

function explainAbsence(name: string): string | undefined {
  const entry = Object.entries(notApplicable).find(([key]) =>
    key.endsWith('*') ? name.startsWith(key.slice(0, -1)) : name === key,
  )
  return entry?.[1]
}

interface SuiteRun {
  args: string[]
  /** For the results. */
  folder: string
  /** With what was printed so far. What it throws ends the suite. */
  onOutput?: (output: string) => Promise<void> | undefined
}

async function runSuite({ args, folder, onOutput }: SuiteRun): Promise<void> {
  // It needs the Node that runs this.
  const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter)
  const options = { env: { ...process.env, PATH } }
  const child = spawn('npx', ['--yes', SUITE, ...args, '--output-dir', folder], options)
  let output = ''
  let failure: unknown
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk
      onOutput?.(output)?.catch((error) => {
        failure = error
        child.kill()
      })
    })
  await new Promise((resolve) => child.once('close', resolve))
  if (failure) throw failure
  if (readdirSync(folder).length === 0) throw new Error(`the suite did not run: ${output}`)
}

const runServerSuite = (url: string, revision: string, folder: string) =>
  runSuite({ args: ['server', '--url', `${url}/mcp`, '--suite', 'all', '--spec-version', revision], folder })

/** The suite prints where a browser would go, and waits for what comes of that: a person allows the client there. */
async function runAuthorizationSuite(
  url: string,
  token: string,
  revision: string,
  folder: string,
): Promise<void> {
  const client = createClient(url)
  const port = String(await freePort())
  const id = await client.register([`http://127.0.0.1:${port}/callback`])
  const names = ['--url', url, '--client-id', id, '--resource', client.resource, '--port', port]
  const allowClient = async (query: string) => {
    const { body, text } = await client.consent({ query }, { token })
    if (!body?.returnTo) throw new Error(text)
    await fetch(body.returnTo)
  }
  let allowed: Promise<void> | undefined
  await runSuite({
    args: ['authorization', ...names, '--spec-version', revision],
    folder,
    onOutput(output) {
      const [, query] = output.match(/\/oauth\/authorize(\?\S+)\n/) ?? []
      if (query && output.includes('Callback server started')) allowed ??= allowClient(query)
      return allowed
    },
  })
}

const readScenarios = (folder: string): { scenario: string; checks: Check[] }[] =>
  readdirSync(folder).map((name) => ({
    scenario: name.replace(/^(authorization-)?server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, ''),
    checks: JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')),
  }))

/** Prints one line, and returns whether the scenario passes or does not apply. */
function reportScenario(scenario: string, checks: Check[]): boolean {
  const reason = explainAbsence(scenario)
  if (reason) {
    console.log(`  -  ${scenario}: ${reason}`)
    return true
  }
  const passed = checks.filter(({ status }) => status === 'SUCCESS').length
  const failed = checks.filter(
    ({ id, status }) => status === 'FAILURE' && !explainAbsence(`${scenario}/${id}`),
  )
  const isGood = passed > 0 && failed.length === 0
  console.log(` ${isGood ? 'ok' : 'no'}  ${scenario}: ${passed} checks pass`)
  for (const { id, errorMessage } of failed) console.log(`       ${id}: ${errorMessage ?? ''}`)
  return isGood
}

const world = await startWorld({ MCP: 'write', MCP_TOOLS: Object.keys(toolSets).join() })
const folder = mkdtempSync(join(tmpdir(), 'mcp-suite-'))
const { token } = await createDevice(world)
// The suite sends no credential.
const forwarder = await startForwarder(world.run.baseUrl, { headers: { token } })
try {
  for (const revision of REVISIONS) {
    const results = mkdtempSync(join(folder, `${revision}-`))
    await runServerSuite(forwarder.url, revision, results)
    await runAuthorizationSuite(world.run.baseUrl, token, revision, results)
    console.log(`${SUITE}, revision ${revision}`)
    for (const { scenario, checks } of readScenarios(results))
      if (!reportScenario(scenario, checks)) process.exitCode = 1
  }
} finally {
  forwarder.close()
  await world.close()
  rmSync(folder, { recursive: true, force: true })
}
