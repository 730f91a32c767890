// The export of an instance as a file: what it has, how far it is, and the download.

import type { AdminClient } from '@msgnet/client/admin-client.ts'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { AccountProps } from '../account-props.ts'
import { formatBytes, formatDuration } from '../formats.ts'
import { texts } from '../texts.ts'
import { Button, useAction } from '../ui/action-button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon } from '../ui/icon.tsx'
import { Banner, EmptyState } from '../ui/notices.tsx'
import { Section } from '../ui/page-header.tsx'
import { StatGrid, StatTile } from '../ui/stat-tile.tsx'
import { canWriteFiles, openExportFile } from './export-file.ts'

const words = texts.account.export

export function ExportPage({ admin, connection }: AccountProps) {
  const { id, name } = connection.instance
  if (!admin) return <EmptyState icon="lock" title={words.adminOnly} hint={words.adminOnlyHint} />
  return (
    <>
      <p class="quiet">{words.description}</p>
      <Section title={words.contains}>
        <p class="reading">{words.containsHint}</p>
        <p class="reading quiet">{words.needs}</p>
        {!canWriteFiles && <p class="note warn">{words.inMemory}</p>}
      </Section>
      <ExportRun admin={admin} id={id} name={name} />
    </>
  )
}

interface Progress {
  records: number
  bytes: number
  startedAt: number
  tookMs: number
  state: 'running' | 'done' | 'stopped'
  file?: Blob
}

const REDRAW_MS = 200

interface RunProps {
  admin: AdminClient
  id: string
  name: string
}

function ExportRun({ admin, id, name }: RunProps) {
  const [progress, setProgress] = useState<Progress>()
  const action = useAction()
  const abort = useRef<AbortController | undefined>(undefined)
  useEffect(() => () => abort.current?.abort(), [])
  const runExport = async () => {
    const controller = new AbortController()
    abort.current = controller
    try {
      await writeExport({ admin, id, signal: controller.signal, onProgress: setProgress })
    } catch (error) {
      setProgress((before) => before && { ...before, state: 'stopped' })
      if (!controller.signal.aborted) throw error
    }
  }
  return (
    <>
      <div class="line">
        {progress?.file ? (
          <DownloadLink file={progress.file} name={name} />
        ) : (
          <Button class="main" busy={action.busy} onClick={() => action.run(runExport)}>
            {action.busy ? words.running : words.start}
          </Button>
        )}
        {action.busy && <Button onClick={() => abort.current?.abort()}>{words.stop}</Button>}
        {progress?.file && <Button onClick={() => action.run(runExport)}>{words.again}</Button>}
      </div>
      {action.error !== undefined && <ErrorNote error={action.error} />}
      {progress && <ProgressNote progress={progress} />}
    </>
  )
}

const ProgressNote = ({ progress: { records, bytes, tookMs, state } }: { progress: Progress }) => (
  <>
    <StatGrid label={texts.instance.tabs.export}>
      <StatTile label={words.records} value={records} />
      <StatTile label={words.size} value={formatBytes(bytes)} />
      <StatTile label={words.time} value={formatDuration(tookMs)} />
    </StatGrid>
    {state === 'done' && <Banner kind="good" title={words.done} />}
    {state === 'stopped' && <Banner kind="warn" title={words.stopped} />}
  </>
)

interface WriteOptions {
  admin: AdminClient
  id: string
  signal: AbortSignal
  onProgress: (progress: Progress) => void
}

/** Throws if the export breaks off: a file without its last line is not complete. */
async function writeExport({ admin, id, signal, onProgress }: WriteOptions): Promise<void> {
  const progress: Progress = { records: 0, bytes: 0, startedAt: Date.now(), tookMs: 0, state: 'running' }
  onProgress({ ...progress })
  const target = await openExportFile()
  let drawnAt = 0
  try {
    for await (const line of await admin.instances.export(id, { signal })) {
      progress.bytes += await target.writeLine(JSON.stringify(line))
      if (line.type !== 'end') progress.records++
      progress.tookMs = Date.now() - progress.startedAt
      if (Date.now() - drawnAt < REDRAW_MS) continue
      drawnAt = Date.now()
      onProgress({ ...progress })
    }
    signal.throwIfAborted()
    onProgress({ ...progress, state: 'done', file: await target.close() })
  } catch (error) {
    await target.discard()
    throw error
  }
}

function DownloadLink({ file, name }: { file: Blob; name: string }) {
  const [url, setUrl] = useState('')
  useEffect(() => {
    const made = URL.createObjectURL(file)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [file])
  return (
    <a class="button main" href={url} download={`${toFileName(name)}.ndjson`}>
      <Icon name="download" size={16} />
      {words.download}
    </a>
  )
}

const toFileName = (name: string): string => name.replace(/[^\p{L}\p{N}]+/gu, '-') || 'export'
