// The dialog for a replay, which first counts the events.

import { useState } from 'preact/hooks'
import type { InstanceClient } from '../../client/instance-client.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/action-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { useLoad } from '../ui/use-load.ts'

const words = texts.deliveries

interface Props {
  client: InstanceClient
  /** The events; all dead ones if absent. */
  ids: string[] | undefined
  onDone: () => unknown
  onClose: () => void
}

export function ReplayDialog({ client, ids, onDone, onClose }: Props) {
  const selection = ids ? { ids } : { status: 'dead' as const }
  const { value: trial, error } = useLoad(() => client.redrive({ ...selection, dryRun: true }), [client])
  const [queued, setQueued] = useState<number>()
  const requestReplay = async () => {
    setQueued((await client.redrive(selection)).queued)
    await onDone()
  }
  return (
    <Dialog
      title={words.replayTitle}
      onClose={onClose}
      onSubmit={queued === undefined ? requestReplay : onClose}
      renderActions={(busy) =>
        queued === undefined ? (
          <>
            <Button onClick={onClose}>{texts.cancel}</Button>
            <Button class="main" type="submit" busy={busy} disabled={!trial?.matched}>
              {words.replayConfirm}
            </Button>
          </>
        ) : (
          <Button class="main" type="submit">
            {texts.close}
          </Button>
        )
      }
    >
      {error !== undefined && <ErrorNote error={error} />}
      <p role="status">
        {queued !== undefined
          ? words.queued(queued)
          : trial
            ? words.matched(trial.matched)
            : error === undefined && words.counting}
      </p>
      {queued === undefined && <p class="note">{words.replayHint}</p>}
    </Dialog>
  )
}
