// The dialog that asks the network which of several numbers have an account.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { NumberChecks } from '@msgnet/shared/contract/responses/chat-responses.ts'
import { useState } from 'preact/hooks'
import { formatId } from '../format-id.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/action-button.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Badge } from '../ui/elements.tsx'

const words = texts.people.contacts

type Check = NumberChecks[number]

const columns: readonly Column<Check>[] = [
  {
    key: 'number',
    title: words.number,
    narrow: 'title',
    render: ({ query, jid, verifiedName, groupName }) => (
      <span class="two">
        <span>{jid ? formatId(jid) : query}</span>
        {(verifiedName || groupName) && <span class="small quiet">{verifiedName || groupName}</span>}
      </span>
    ),
  },
  {
    key: 'result',
    title: words.result,
    narrow: 'end',
    align: 'end',
    render: ({ error, isInMsgnet }) =>
      error ? (
        <span class="two">
          <Badge kind="warn">{words.notChecked}</Badge>
          <span class="small quiet">{error}</span>
        </span>
      ) : (
        <Badge kind={isInMsgnet ? 'good' : ''}>{isInMsgnet ? words.onNetwork : words.notOnNetwork}</Badge>
      ),
  },
]

export function CheckNumbersDialog({ client, onClose }: { client: InstanceClient; onClose: () => void }) {
  const [text, setText] = useState('')
  const [checks, setChecks] = useState<NumberChecks>()
  const numbers = text
    .split(/[\n,;]+/)
    .map((line) => line.trim())
    .filter(Boolean)
  return (
    <Dialog
      title={words.check}
      onClose={onClose}
      onSubmit={async () => setChecks(await client.checkNumbers({ numbers }))}
      renderActions={(busy) => (
        <>
          <Button onClick={onClose}>{texts.close}</Button>
          <Button class="main" type="submit" busy={busy} disabled={numbers.length === 0}>
            {words.checkConfirm}
          </Button>
        </>
      )}
    >
      <p class="quiet">{words.checkHint}</p>
      <div class="field">
        <label for="numbers-to-check">{words.checkNumbers}</label>
        <textarea
          id="numbers-to-check"
          rows={4}
          value={text}
          aria-describedby="numbers-to-check-hint"
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <span class="hint" id="numbers-to-check-hint">
          {words.checkNumbersHint}
        </span>
      </div>
      {checks && (
        <DataTable label={words.result} columns={columns} rows={checks} getKey={({ query }) => query} />
      )}
    </Dialog>
  )
}
