// The calls of an instance of the kind "calls", as they ring; one that rings can be rejected.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { CallRecord } from '@msgnet/shared/contract/responses/call-responses.ts'
import type { AccountProps } from '../account-props.ts'
import { formatId } from '../format-id.ts'
import { texts } from '../texts.ts'
import { ActionButton } from '../ui/action-button.tsx'
import { Badge } from '../ui/elements.tsx'
import { LoadedContent } from '../ui/list-page.tsx'
import { LogList, LogRow } from '../ui/log-list.tsx'
import { EmptyState } from '../ui/notices.tsx'
import { useLoad } from '../ui/use-load.ts'
import { useEvents } from '../use-events.ts'

const words = texts.account.calls

export const CallsPage = ({ client, connection }: AccountProps) =>
  connection.instance.kind === 'calls' ? (
    <CallLog client={client} />
  ) : (
    <EmptyState icon="phone" title={words.otherKind} hint={words.otherKindHint} />
  )

function CallLog({ client }: { client: InstanceClient }) {
  const loaded = useLoad(() => client.listCalls(), [client])
  useEvents(client, ({ EventType }) => {
    if (EventType === 'call') void loaded.reload()
  })
  return (
    <>
      <p class="quiet">{words.description}</p>
      <LoadedContent loaded={loaded}>
        {({ calls }) =>
          calls.length === 0 ? (
            <EmptyState icon="phone" title={words.none} hint={words.noneHint} />
          ) : (
            <LogList label={words.list}>
              {calls.map((call) => (
                <CallRow key={call.CallID} {...{ client, call }} onChange={loaded.reload} />
              ))}
            </LogList>
          )
        }
      </LoadedContent>
    </>
  )
}

const kinds: Record<CallRecord['State'], 'good' | 'warn' | 'bad' | ''> = {
  offer: 'warn',
  ringing: 'warn',
  accept: 'good',
  reject: 'bad',
  timeout: 'bad',
  terminate: '',
}

interface RowProps {
  client: InstanceClient
  call: CallRecord
  onChange: () => Promise<void>
}

const CallRow = ({ client, call, onChange }: RowProps) => (
  <LogRow
    time={call.Timestamp}
    kind={kinds[call.State]}
    title={formatId(call.CallCreator || call.From)}
    detail={
      <>
        {call.IsVideo ? words.video : words.voice} {call.IsGroup && words.fromGroup}
      </>
    }
    end={
      <span class="line still">
        {isRinging(call) && (
          <ActionButton
            class="small-button danger"
            onAction={() => client.rejectCall({ id: call.CallID }).then(onChange)}
          >
            {words.reject}
          </ActionButton>
        )}
        <Badge kind={kinds[call.State]}>{words.states[call.State]}</Badge>
      </span>
    }
  />
)

const isRinging = ({ State }: CallRecord): boolean => State === 'offer' || State === 'ringing'
