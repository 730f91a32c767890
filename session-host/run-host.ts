// The process of the session host: reads its settings, starts the host and its log, and stops it on a signal.

import { SECOND } from '@msgnet/shared/date-time.ts'
import { refuseLab } from '@msgnet/shared/node/laboratory-time.ts'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { SealError } from '@msgnet/shared/seal.ts'
import { ConfigError, readConfig } from './config.ts'
import { armCrashPoint } from './process/crash-points.ts'
import { captureConsole, createLog } from './process/host-log.ts'
import { usePrivateFolder } from './process/private-folder.ts'
import { StoreFault } from './process/store-fault.ts'
import { startHost } from './session-host.ts'

const MAX_STOP_MS = 18 * SECOND

try {
  const config = readConfig(process.env)
  refuseLab(process.env.NETWORK ?? 'simulator')
  usePrivateFolder(config.dataDir)
  const log = createLog(config.logLevel)
  captureConsole(log)
  if (config.crashAt) armCrashPoint(config.crashAt, log)
  process.on('unhandledRejection', (error) => log.error({ error }, 'unhandled rejection'))

  const host = await startHost(config, log)
  // The parent process learns that the link is open.
  void host.linked.then(() => process.send?.('ready'))
  let stopping = false
  const stopHost = (why: string) => {
    if (stopping) return
    stopping = true
    log.info({ why }, 'host stopping')
    setTimeout(() => process.exit(1), MAX_STOP_MS).unref()
    host.stop().then(
      () => process.exit(0),
      (error) => {
        log.error({ error }, 'failed to stop host')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', () => stopHost('SIGTERM'))
  process.on('SIGINT', () => stopHost('SIGINT'))
  // Its parent has ended, so no other process would stop it.
  process.on('disconnect', () => stopHost('the parent process has gone'))
} catch (error) {
  process.stderr.write(`${describeStartFailure(error)}\n`)
  process.exit(1)
}

/** One sentence for the operator; an error that the operator cannot correct is shown with its stack. */
function describeStartFailure(error: unknown): string {
  if (error instanceof ConfigError || error instanceof SealError || error instanceof OperatorError)
    return error.message
  const folder = `DATA_DIR ${process.env.DATA_DIR || '.data'}`
  if (error instanceof StoreFault) return `The host cannot start on ${folder}: ${error.message}.`
  throw error
}
