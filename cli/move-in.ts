// `npm run move-in`: brings linked devices from another gateway, without linking them anew. It only reads there; here it is a caller like any other.

import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { connectAdmin, GatewayError, GatewayUnreachable } from '@msgnet/client/client.ts'
import { OperatorError, withOperatorErrors } from '@msgnet/shared/node/operator-errors.ts'
import { runCommand } from '@msgnet/shared/node/run-command.ts'
import { type Lock, lockFile } from './data-folder/folder-lock.ts'
import { readRun } from './data-folder/run-record.ts'
import { AccountMove, type MoveResult, type Target } from './move-in/move-account.ts'
import { MoveLog } from './move-in/move-log.ts'
import type { MovingAccount } from './move-in/moving-source.ts'
import { openSource } from './move-in/open-source.ts'
import { printAccounts, printProgress, printReport } from './move-in/print-move.ts'
import { DEFAULT_PORT, findDataDir } from './settings/second-gateway.ts'

const LOG_FILE = 'move-in.jsonl'
const MAX_PARALLEL = 20

const options = {
  from: { type: 'string' },
  keys: { type: 'string' },
  only: { type: 'string', multiple: true, default: [] as string[] },
  to: { type: 'string' },
  parallel: { type: 'string', default: '1' },
  stopped: { type: 'boolean', default: false },
  'dry-run': { type: 'boolean', default: false },
} as const

async function runMoveIn(): Promise<void> {
  const { values } = parseArgs({ options })
  const parallel = Number(values.parallel)
  if (!Number.isInteger(parallel) || parallel < 1 || parallel > MAX_PARALLEL)
    throw new OperatorError(`--parallel takes a number from 1 to ${MAX_PARALLEL}.`)
  const lock = values['dry-run'] ? undefined : lockLog(resolve(LOG_FILE))
  const source = await openSource(values.from, values.keys)
  let sourceLock: Lock | undefined
  try {
    if (lock) sourceLock = lockSource(source.name)
    const accounts = selectAccounts(await source.listAccounts(), values.only)
    const log = new MoveLog(resolve(LOG_FILE))
    const isMoved = ({ id }: MovingAccount) => log.findLast({ source: source.name, id })?.step === 'moved'
    printAccounts(accounts.map((account) => ({ account, state: describeState(account, isMoved(account)) })))
    if (values['dry-run']) return
    const waiting = accounts.filter((account) => !account.obstacle && !isMoved(account))
    if (!values.stopped) refuseRunning(waiting)
    const target = await findTarget(values.to)
    const results = await moveAll(
      waiting,
      parallel,
      (account) =>
        new AccountMove(account, source.name, target, log, (text) => printProgress(account.name, text)),
    )
    printReport(results, resolve(LOG_FILE))
    const isWhole = ({ number, obstacle }: MovingAccount) => !number || !obstacle
    if (results.some(({ failure }) => failure) || !accounts.every(isWhole)) process.exitCode = 1
  } finally {
    await source.close()
    sourceLock?.release()
    lock?.release()
  }
}

/** Two runs would create an instance of one account twice. The system releases it from a run that was killed. */
const lockLog = (path: string) =>
  lockFile(
    `${path}.lock`,
    `Another run of move-in works on ${path}: wait until it has ended, or stop it.`,
    'Run it in a folder that this user can write.',
  )

/** The same of runs in two folders on one source, for which nothing may be written there. */
const lockSource = (source: string): Lock => {
  const name = createHash('sha256').update(source).digest('hex').slice(0, 32)
  return lockFile(
    join(tmpdir(), `msgnet-move-in-${name}.lock`),
    `Another run of move-in works on ${source}: wait until it has ended, or stop it.`,
    'Delete it, or run this as that user.',
  )
}

/** Copies of one device would take the connection from each other: the one that was used last is moved. */
function selectAccounts(found: MovingAccount[], only: string[]): MovingAccount[] {
  const unknown = only.filter((name) => !found.some((account) => account.name === name))
  if (unknown.length > 0) throw new OperatorError(`The source has no account ${unknown.join(', ')}.`)
  const accounts = found.filter(({ name }) => only.length === 0 || only.includes(name))
  if (accounts.length === 0) throw new OperatorError('The source has no accounts.')
  const getTime = ({ lastUse }: MovingAccount) => lastUse?.getTime() ?? 0
  const byDevice = Map.groupBy(accounts, ({ id, number, device }) => (number ? `${number}:${device}` : id))
  const copies = [...byDevice.values()].flatMap((alike) =>
    alike.sort((one, other) => getTime(other) - getTime(one)).slice(1),
  )
  return accounts.map((account) =>
    copies.includes(account) ? { ...account, obstacle: 'a newer copy of it is in the source' } : account,
  )
}

function describeState({ obstacle, inUse }: MovingAccount, isMoved: boolean): string {
  if (isMoved) return 'moved already'
  return obstacle ?? (inUse ? `in use: ${inUse}` : 'can be moved')
}

/** Two programs with one credential take the connection from each other. */
function refuseRunning(accounts: MovingAccount[]): void {
  const running = accounts.filter(({ inUse }) => inUse)
  if (running.length === 0) return
  throw new OperatorError(
    `Nothing was moved: the other gateway seems to run (${running.map(({ name, inUse }) => `${name}: ${inUse}`).join('; ')}). End it, and run this again; with --stopped if it has ended.`,
  )
}

/** The gateway of `--to`, else the one that runs on this machine's data folder. */
async function findTarget(to: string | undefined): Promise<Target> {
  const { DATA_DIR, PORT, ADMIN_TOKEN } = process.env
  const port = Number(PORT || DEFAULT_PORT)
  const dataDir = DATA_DIR || findDataDir(port)
  const tokenFile = join(dataDir, 'admin-token')
  const baseUrl = to ?? readRun(dataDir)?.baseUrl ?? `http://127.0.0.1:${port}`
  // A token is sent only to the gateway that it is of.
  const ownToken = !to && existsSync(tokenFile) ? readFileSync(tokenFile, 'utf8').trim() : undefined
  const adminToken = ADMIN_TOKEN || ownToken
  if (!adminToken) throw new OperatorError('ADMIN_TOKEN is not set: an admin token of the scope operate.')
  const admin = connectAdmin({ baseUrl, adminToken })
  try {
    return { baseUrl, adminToken, admin, instances: await admin.instances.list() }
  } catch (error) {
    if (!(error instanceof GatewayError || error instanceof GatewayUnreachable)) throw error
    throw new OperatorError(`The gateway at ${baseUrl} cannot be used: ${error.message}.`)
  }
}

/** So many at once, until each is logged in. That it stays so is seen while the next ones move. */
async function moveAll(
  accounts: MovingAccount[],
  parallel: number,
  begin: (account: MovingAccount) => AccountMove,
): Promise<MoveResult[]> {
  const results: Promise<MoveResult>[] = []
  const waiting = [...accounts]
  const report = (result: MoveResult): MoveResult => {
    printProgress(result.account.name, result.failure ?? 'moved')
    return result
  }
  const work = async () => {
    for (let account = waiting.shift(); account; account = waiting.shift()) {
      const move = begin(account)
      const { name, rows } = account
      printProgress(name, `${rows} rows, ${waiting.length} accounts after it`)
      const result = await move.move()
      if (!result.failure) printProgress(name, 'logged in')
      results.push(result.failure ? Promise.resolve(report(result)) : move.prove().then(report))
    }
  }
  await Promise.all(Array.from({ length: parallel }, work))
  return Promise.all(results)
}

await runCommand(() => withOperatorErrors(runMoveIn))
