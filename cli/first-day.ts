// `npm run first-day`: leads a person through the first day on the live network, checks each step by the protocol log, and writes a report. In the simulated network it needs no person.

import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { connectInstance } from '@msgnet/client/instance-client.ts'
import { OperatorError, withOperatorErrors } from '@msgnet/shared/node/operator-errors.ts'
import { runCommand } from '@msgnet/shared/node/run-command.ts'
import { projectRoot } from './build/root.ts'
import { findLayout, layoutOptions } from './data-folder/layout.ts'
import { Day, type DoctorFinding, StepFailed } from './first-day/day.ts'
import { DayLog } from './first-day/day-log.ts'
import { writeReport } from './first-day/day-report.ts'
import { type DayStep, daySteps } from './first-day/day-steps.ts'
import { SimulatedPerson } from './first-day/simulated-person.ts'
import { createTerminalPerson } from './first-day/terminal-person.ts'
import { readLog } from './network-log/read-log.ts'
import { quickArgs } from './processes/quick-node.ts'

const USAGE = 'The instance is missing: npm run first-day -- --instance ID'
const options = {
  ...layoutOptions,
  instance: { type: 'string' },
  to: { type: 'string' },
  step: { type: 'string', multiple: true, default: [] as string[] },
  yes: { type: 'boolean', default: false },
} as const
const LOG_FILE = 'first-day.jsonl'
const REPORT_FILE = 'first-day.md'
const PATIENCE_MS = 120_000

type Step = DayStep & { step: number }

async function runFirstDay(): Promise<void> {
  const { values } = parseArgs({ options })
  const { instance } = values
  if (!instance) throw new OperatorError(USAGE)
  const place = await findPlace(values)
  const log = new DayLog(resolve(LOG_FILE), instance)
  const client = connectInstance({ baseUrl: place.baseUrl, adminToken: place.adminToken, instance })
  const readNumber = async () => (await client.status()).jid.split(/[:@]/)[0] ?? ''
  const terminal = values.yes ? undefined : createTerminalPerson()
  const person = terminal ?? new SimulatedPerson(place.callSimulator, readNumber)
  const parts = {
    instance,
    client,
    person,
    readLog: () => readLog(values),
    runDoctor: (args: string[]) => runDoctor(place.layoutArgs, args),
    findEntry: log.findLast,
    patienceMs: PATIENCE_MS,
  }
  try {
    for (const each of daySteps) {
      if (!isWanted(each, values, log)) continue
      console.log(`\n▸ ${each.step}. ${each.title}`)
      const entry = log.append({ step: each.step, ...(await runStep(each, await Day.open(parts))) })
      for (const line of entry.says) console.log(`  ${line}`)
      console.log(`  ${entry.outcome}`)
    }
  } finally {
    terminal?.close()
    const report = {
      version: place.version,
      network: place.network,
      steps: daySteps,
      findEntry: log.findLast,
    }
    writeFileSync(resolve(REPORT_FILE), writeReport(report), { mode: 0o600 })
    console.log(`\n${resolve(REPORT_FILE)} has what was found. The same command goes on with what is left.`)
  }
  if (daySteps.some(({ step }) => log.findLast(step)?.outcome === 'failed')) process.exitCode = 1
}

/** What has ended well or was left out is not done again, unless it is named; and some steps have their time. */
function isWanted(
  { step, after }: Step,
  { step: named, yes }: { step: string[]; yes: boolean },
  log: DayLog,
) {
  if (named.length > 0) return named.includes(String(step))
  const entry = log.findLast(step)
  if (entry && entry.outcome !== 'failed') return false
  if (!after || yes) return true
  const before = log.findLast(after.step)
  const dueAt = before?.outcome === 'ok' ? Date.parse(before.at) + after.ms : undefined
  if (dueAt !== undefined && dueAt <= Date.now()) return true
  console.log(
    `\n  ${step} waits${dueAt === undefined ? ` for ${after.step}` : ` until ${new Date(dueAt).toISOString()}`}`,
  )
  return false
}

async function runStep({ run }: Step, day: Day) {
  try {
    return day.toEntry((await run(day)) ? 'ok' : 'skipped')
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error
    day.say(error.message)
    return day.toEntry('failed')
  }
}

/** The gateway of `--to`, else that of this machine's data folder; the protocol log is on the machine of the host. */
async function findPlace(values: { folder?: string; data: string; to?: string; yes: boolean }) {
  const { host, run } = await findLayout({ ...values, only: 'host' })
  if (!host) throw new OperatorError('This machine has no host: the protocol log is where the host is.')
  const { DATA_DIR, NETWORK, NETWORK_LOG, PORT } = host.settings
  if ((run?.networkLog ?? NETWORK_LOG) === 'off')
    throw new OperatorError(
      'Without its protocol log a first day shows nothing: start the host with NETWORK_LOG=on.',
    )
  if (values.yes && !run?.simulatorUrl)
    throw new OperatorError('--yes is for the simulated network: a phone of the live one needs a person.')
  const tokenFile = join(DATA_DIR, 'admin-token')
  const ownToken = !values.to && existsSync(tokenFile) ? readFileSync(tokenFile, 'utf8').trim() : undefined
  const adminToken = process.env.ADMIN_TOKEN || ownToken
  if (!adminToken) throw new OperatorError('ADMIN_TOKEN is not set: an admin token of the scope operate.')
  const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
    version: string
  }
  return {
    baseUrl: values.to ?? run?.baseUrl ?? `http://127.0.0.1:${PORT}`,
    adminToken,
    version,
    network: run?.network ?? NETWORK,
    layoutArgs: values.folder ? ['--folder', values.folder, '--data', values.data] : [],
    callSimulator: (method: string, path: string, body?: unknown) =>
      callSimulator(`${run?.simulatorUrl}/sim${path}`, method, body),
  }
}

async function callSimulator(url: string, method: string, body: unknown) {
  const response = await fetch(url, {
    method,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  })
  const text = await response.text()
  if (!response.ok)
    throw new OperatorError(`${method} ${new URL(url).pathname} answered ${response.status}: ${text}`)
  return JSON.parse(text)
}

async function runDoctor(layoutArgs: string[], args: string[]): Promise<DoctorFinding[]> {
  const program = join(projectRoot, 'cli', 'doctor-command.ts')
  const doctor = spawn(process.execPath, [...quickArgs, program, '--json', ...layoutArgs, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  for await (const chunk of doctor.stdout) printed += chunk
  try {
    return JSON.parse(printed) as DoctorFinding[]
  } catch {
    throw new OperatorError('The doctor did not run.')
  }
}

await runCommand(() => withOperatorErrors(runFirstDay))
