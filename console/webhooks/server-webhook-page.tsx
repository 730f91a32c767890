// The webhook of the whole server, for every instance without its own choice.

import type { AdminClient } from '@msgnet/client/admin-client.ts'
import { serverEvents } from '@msgnet/shared/contract/event-names.ts'
import { texts } from '../texts.ts'
import { ActionButton } from '../ui/action-button.tsx'
import { Badge, Loading } from '../ui/elements.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { useLoad } from '../ui/use-load.ts'
import { WebhookForm } from './webhook-form.tsx'

const words = texts.webhook

export function ServerWebhookPage({
  admin,
  suggested,
}: {
  admin: AdminClient
  suggested: string | undefined
}) {
  const { value, error, set } = useLoad(() => admin.webhook.show(), [admin])
  return (
    <main class="page">
      <PageHeader
        title={texts.nav.webhook}
        count={
          value && (
            <Badge kind={value.registered ? 'good' : ''}>{value.registered ? words.on : words.off}</Badge>
          )
        }
        description={words.serverHint}
      />
      {error !== undefined && <ErrorNote error={error} />}
      {!value && error === undefined && <Loading />}
      {value && (
        <section class="card stack" style={{ maxWidth: '760px' }}>
          <WebhookForm
            key={value.updatedAt ?? ''}
            current={value}
            suggested={suggested}
            offered={serverEvents}
            onSave={async (input) => set(await admin.webhook.save({ action: 'update', ...input }))}
          />
          {value.registered && (
            <div>
              <ActionButton class="danger" onAction={async () => set(await admin.webhook.delete())}>
                {words.serverDelete}
              </ActionButton>
            </div>
          )}
        </section>
      )}
    </main>
  )
}
