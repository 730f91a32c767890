// The process that reads and converts files of customers and strangers, one after another: what hangs or breaks in it breaks no session.

import { findStoreFault, type StoreFaultKind } from '../process/store-fault.ts'
import { drawPreview, LINK_PICTURE } from './draw-preview.ts'
import { makePicture } from './make-picture.ts'
import { makeSticker } from './make-sticker.ts'
import { DECODED, type MediaJob, type MediaResult, RefusedFile, UnsupportedFile } from './media-job.ts'

export type MediaReply =
  | { result: MediaResult }
  | { refused: { fault: RefusedFile['fault']; message: string } }
  | { failed: StoreFaultKind }
export type DecoderMessage = MediaReply | typeof DECODED

/** More often than its host would end it, and not with each of a thousand small pieces. */
const REPORT_MS = 500
let reportedAt = 0

function reportDecoded(): void {
  const now = performance.now()
  if (now - reportedAt < REPORT_MS) return
  reportedAt = now
  process.send?.(DECODED)
}

/** The packages of one kind of file are loaded when the first one comes. */
async function runJob(job: MediaJob): Promise<MediaResult> {
  const { task, input, output } = job
  switch (task) {
    case 'sticker':
      return makeSticker(input, output)
    case 'preview':
      return drawPreview(input)
    case 'thumbnail':
      return drawPreview(input, LINK_PICTURE)
    case 'picture':
      return makePicture(input, output)
    default: {
      const { convertSound } = await import('./convert-sound.ts')
      return convertSound({ ...job, task }, reportDecoded)
    }
  }
}

process.on('message', async (job: MediaJob) => {
  process.send?.(await runJob(job).then((result) => ({ result }), describeFailure))
})
// Its host has ended, and nobody waits for the result.
process.on('disconnect', () => process.exit(0))

function describeFailure(error: unknown): MediaReply {
  const fault = findStoreFault(error)
  if (fault) return { failed: fault.kind }
  // What the packages throw about bytes that they cannot read says nothing to a caller.
  const refusal =
    error instanceof RefusedFile ? error : new UnsupportedFile('is damaged, or not what its first bytes say')
  return { refused: { fault: refusal.fault, message: refusal.message } }
}
