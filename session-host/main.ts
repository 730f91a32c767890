// The process of the session host: reads its settings, starts the host and its log, and stops it on a signal.

import { SECOND } from '../shared/clock.ts'
import { SealError } from '../shared/seal.ts'
import { ConfigError, readConfig } from './config.ts'
import { mayCrashAt } from './crash.ts'
import { startHost } from './host.ts'
import { captureConsole, makeLog } from './log.ts'
import { usePrivateFolder } from './private-folder.ts'
import { StoreFault } from './store/fault.ts'

const STOP_WITHIN_MS = 18 * SECOND

try {
  const config = readConfig(process.env)
  usePrivateFolder(config.dataDir)
  const log = makeLog(config.logLevel)
  captureConsole(log)
  if (config.crashAt) mayCrashAt(config.crashAt, log)
  process.on('unhandledRejection', (thrown) =>
    log.error({ err: thrown }, 'a promise nobody waited for failed'),
  )

  const host = await startHost(config, log)
  // Whoever started this process hears that it has its link.
  void host.linked.then(() => process.send?.('ready'))
  let stopping = false
  const stop = (why: string) => {
    if (stopping) return
    stopping = true
    log.info({ why }, 'stopping')
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref()
    host.stop().then(
      () => process.exit(0),
      (thrown) => {
        log.error({ err: thrown }, 'the host did not stop in order')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', () => stop('SIGTERM'))
  process.on('SIGINT', () => stop('SIGINT'))
  // Its parent has ended, so no other process would stop it.
  process.on('disconnect', () => stop('the parent process has gone'))
} catch (thrown) {
  process.stderr.write(`${complaintOf(thrown)}\n`)
  process.exit(1)
}

/** One sentence for the operator; an error that the operator cannot mend keeps its stack. */
function complaintOf(thrown: unknown): string {
  if (thrown instanceof ConfigError || thrown instanceof SealError) return thrown.message
  const folder = `DATA_DIR ${process.env.DATA_DIR || '.data'}`
  if (thrown instanceof StoreFault) return `The host cannot start on ${folder}: ${thrown.message}.`
  throw thrown
}
