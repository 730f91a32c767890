// The dialog for a replay, which first counts the events.

import { useState } from 'preact/hooks'
import type { InstanceClient } from '../../client/instance.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/act.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useLoad } from '../ui/load.ts'
import { Trouble } from '../ui/trouble.tsx'

const words = texts.deliveries

interface Props {
  client: InstanceClient
  /** The events; all dead ones if absent. */
  ids: string[] | undefined
  onDone: () => unknown
  onClose: () => void
}

export function Replay({ client, ids, onDone, onClose }: Props) {
  const which = ids ? { ids } : { status: 'dead' as const }
  const { value: trial, error } = useLoad(() => client.redrive({ ...which, dryRun: true }), [client])
  const [queued, setQueued] = useState<number>()
  const replay = async () => {
    setQueued((await client.redrive(which)).queued)
    await onDone()
  }
  return (
    <Dialog
      title={words.replayTitle}
      onClose={onClose}
      onSubmit={queued === undefined ? replay : onClose}
      actions={(busy) =>
        queued === undefined ? (
          <>
            <Button onClick={onClose}>{texts.cancel}</Button>
            <Button class="main" type="submit" busy={busy} disabled={!trial?.matched}>
              {words.replayDo}
            </Button>
          </>
        ) : (
          <Button class="main" type="submit">
            {texts.close}
          </Button>
        )
      }
    >
      {error !== undefined && <Trouble error={error} />}
      <p role="status">
        {queued !== undefined
          ? words.queued(queued)
          : trial
            ? words.matched(trial.matched)
            : error === undefined && words.counting}
      </p>
      {queued === undefined && <p class="note">{words.replaySays}</p>}
    </Dialog>
  )
}
