// A device of another program moves in: its credential as a file, how much of it has been sent, and which line was refused.

import { useState } from 'preact/hooks'
import { formatBytes } from '../formats.ts'
import { texts } from '../texts.ts'
import { Button, useAction } from '../ui/action-button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import type { DeviceProps } from './instance-controls.ts'

const words = texts.imported

export function ImportForm({ session, controls, state, connection }: DeviceProps) {
  const { id } = connection.instance
  const [file, setFile] = useState<File>()
  const [sent, setSent] = useState(0)
  const action = useAction()
  const importFile = async () => {
    const uploader = session.createUploader(id, setSent)
    if (!uploader || !file) return
    setSent(0)
    await uploader.importCredential(file)
    // Also if that fails it has a credential now.
    state.set(await controls.connect({}).finally(state.reload))
  }
  return (
    <details class="stack">
      <summary>{words.title}</summary>
      <p class="quiet">{words.description}</p>
      <p class="note warn">{words.stopFirst}</p>
      <label class="stack tight">
        <span>{words.file}</span>
        <input
          type="file"
          accept=".ndjson,.jsonl,application/x-ndjson"
          onChange={({ currentTarget }) => setFile(currentTarget.files?.[0])}
        />
      </label>
      {action.busy && file && (
        <>
          <progress value={sent} max={file.size} aria-label={words.sending} />
          <p class="small quiet">
            {sent < file.size ? words.sent(formatBytes(sent), formatBytes(file.size)) : words.checking}
          </p>
        </>
      )}
      <div>
        <Button busy={action.busy} disabled={!file} onClick={() => action.run(importFile)}>
          {words.start}
        </Button>
      </div>
      {action.error !== undefined && <ErrorNote error={action.error} onClose={action.clearError} />}
    </details>
  )
}
