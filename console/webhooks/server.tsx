// The webhook of the whole server, for every instance without its own choice.

import type { AdminClient } from '../../client/admin.ts'
import { texts } from '../texts.ts'
import { Act } from '../ui/act.tsx'
import { useLoad } from '../ui/load.ts'
import { Badge, Loading } from '../ui/parts.tsx'
import { Trouble } from '../ui/trouble.tsx'
import { WebhookForm } from './form.tsx'

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
      <div class="line">
        <h1>{texts.nav.webhook}</h1>
        {value && (
          <Badge kind={value.registered ? 'good' : ''}>{value.registered ? words.on : words.off}</Badge>
        )}
      </div>
      <p class="quiet">{words.serverSays}</p>
      {error !== undefined && <Trouble error={error} />}
      {!value && error === undefined && <Loading />}
      {value && (
        <section class="card stack" style={{ maxWidth: '760px' }}>
          <WebhookForm
            key={value.updatedAt ?? ''}
            now={value}
            suggested={suggested}
            save={async (wish) => set(await admin.webhook.save({ action: 'update', ...wish }))}
          />
          {value.registered && (
            <div>
              <Act class="danger" act={async () => set(await admin.webhook.delete())}>
                {words.serverDelete}
              </Act>
            </div>
          )}
        </section>
      )}
    </main>
  )
}
