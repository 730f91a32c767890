// Reads the protocol log of this machine's host, or the files that are named.

import { join } from 'node:path'
import { type LogLine, NETWORK_LOG_FOLDER } from '@msgnet/shared/network-log-lines.ts'
import { listSegments, readSegment } from '@msgnet/shared/node/network-log-files.ts'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { createSealer } from '@msgnet/shared/seal.ts'
import { findLayout, type LayoutChoice } from '../data-folder/layout.ts'

/** Of the files that are named, else of the whole ring of this machine's host. */
export async function readLog(choice: LayoutChoice, files: string[] = []): Promise<LogLine[]> {
  const { host } = await findLayout({ ...choice, only: 'host' })
  if (!host) throw new OperatorError('This machine has no host.')
  const openSealer = async () => {
    if (!host.sealKeys)
      throw new OperatorError('There are no seal keys of a host: set DATA_DIR or HOST_SEAL_KEYS.')
    return createSealer(host.sealKeys, 'host/network-log')
  }
  const folder = join(host.settings.DATA_DIR, ...NETWORK_LOG_FOLDER)
  const segments = files.length > 0 ? files : await listSegments(folder)
  if (segments.length === 0)
    throw new OperatorError(`There is no protocol log in ${folder}: start the host with NETWORK_LOG=on.`)
  return (await Promise.all(segments.map((file) => readSegment(file, openSealer)))).flat()
}
