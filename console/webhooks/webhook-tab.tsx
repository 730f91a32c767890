// The webhooks of an instance: the list, and the open one with its form, its health, a test and its failures.

import type { AdminClient } from '@msgnet/client/admin-client.ts'
import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { Webhook, WebhookRecord } from '@msgnet/shared/contract/responses/webhook-responses.ts'
import { useState } from 'preact/hooks'
import { findWebhook, type InstanceWebhook } from '../deliveries/instance-webhooks.ts'
import type { Webhooks } from '../deliveries/use-webhooks.ts'
import { useRouteQuery } from '../hash-route.ts'
import { LinkSender } from '../links/link-sender.tsx'
import { texts } from '../texts.ts'
import { ActionButton, Button } from '../ui/action-button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Loading } from '../ui/elements.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { useLoad } from '../ui/use-load.ts'
import { CodeSamples } from './code-samples.tsx'
import { WebhookForm } from './webhook-form.tsx'
import { WebhookList } from './webhook-list.tsx'
import { WebhookStatus } from './webhook-status.tsx'

const words = texts.webhook
type Mode = 'own' | 'inherit' | 'off'

const toMode = ({ registered, inheritedGlobal }: Webhook): Mode =>
  inheritedGlobal ? 'inherit' : registered ? 'own' : 'off'

interface Props {
  client: InstanceClient
  webhooks: Webhooks
  onChange: () => Promise<unknown>
  canSaveServer: boolean
  /** Undefined for an admin, who does not have it. */
  token: string | undefined
  suggested: string | undefined
  /** Of an operator, who sends links to this instance's webhooks; undefined for others. */
  admin: AdminClient | undefined
  instance: string
}

export function WebhookTab(props: Props) {
  const { isLoaded, error, others } = props.webhooks
  const current = useRouteQuery().query.webhook ?? ''
  const other = findWebhook(others, current)
  if (error !== undefined) return <ErrorNote error={error} />
  if (!isLoaded) return <Loading />
  return (
    <div class="stack">
      <WebhookList webhooks={props.webhooks} current={current} />
      {current === 'new' ? (
        <NewWebhook {...props} />
      ) : other?.record ? (
        <OtherWebhook key={current} {...props} webhook={other} record={other.record} />
      ) : (
        <FirstWebhook {...props} />
      )}
      {props.admin && <LinkSender admin={props.admin} id={props.instance} purpose="webhooks" />}
    </div>
  )
}

function NewWebhook({ client, onChange, suggested, token }: Props) {
  const { setQuery } = useRouteQuery()
  return (
    <div class="columns">
      <section class="card stack">
        <h2>{words.add}</h2>
        <WebhookForm
          current={{}}
          suggested={suggested}
          offers={['chats', 'headers']}
          confirm={words.add}
          onSave={async (input) => {
            const { webhook } = await client.addWebhook(input)
            await onChange()
            setQuery({ webhook: webhook.id }, { replace: true })
          }}
        />
        <div>
          <Button class="bare" onClick={() => setQuery({ webhook: '' })}>
            {texts.cancel}
          </Button>
        </div>
      </section>
      <CodeSamples token={token} isFirst={false} />
    </div>
  )
}

interface OtherProps extends Props {
  webhook: InstanceWebhook
  record: WebhookRecord
}

function OtherWebhook(props: OtherProps) {
  const { client, onChange, suggested, record } = props
  const [isDeleting, setDeleting] = useState(false)
  return (
    <div class="columns">
      <section class="card stack">
        <h2 class="cut">{record.url}</h2>
        <WebhookForm
          key={record.updatedAt}
          current={record}
          suggested={suggested}
          offers={['chats', 'headers']}
          onSave={async (input) => {
            await client.changeWebhook(record.id, input)
            await onChange()
          }}
        />
        <div>
          <Button class="danger" onClick={() => setDeleting(true)}>
            {words.delete}
          </Button>
        </div>
        {isDeleting && <DeleteDialog {...props} onClose={() => setDeleting(false)} />}
      </section>
      <div class="stack">
        <WebhookStatus {...props} />
        <CodeSamples token={props.token} isFirst={false} />
      </div>
    </div>
  )
}

function DeleteDialog({ client, record, onChange, onClose }: OtherProps & { onClose: () => void }) {
  const { setQuery } = useRouteQuery()
  const deleteWebhook = async () => {
    await client.removeWebhook(record.id)
    onClose()
    setQuery({ webhook: '' }, { replace: true })
    await onChange()
  }
  return (
    <ConfirmDialog
      title={words.deleteTitle}
      onClose={onClose}
      onConfirm={deleteWebhook}
      confirm={words.delete}
      danger
    >
      <p>
        <code>{record.url}</code>
      </p>
      <p>{words.deleteEffect(record.deliveryStatus.pending)}</p>
    </ConfirmDialog>
  )
}

/** That of the contract's `/webhook`: its own, the server's, or none. */
function FirstWebhook(props: Props) {
  const { client, webhooks, onChange, token, suggested } = props
  const { value, error, set, reload } = useLoad(() => client.webhook.show(), [client])
  const [chosen, setChosen] = useState<Mode>()
  if (error !== undefined) return <ErrorNote error={error} />
  if (!value) return <Loading />
  const currentMode = toMode(value)
  const mode = chosen ?? currentMode
  const { first, others } = webhooks
  const applyWebhook = async (webhook: Webhook) => {
    set(webhook)
    setChosen(undefined)
    await onChange()
  }
  const turnOff = async () => {
    await client.webhook.turnOff()
    await Promise.all([reload(), onChange()])
    setChosen(undefined)
  }
  return (
    <div class="columns">
      <section class="card stack">
        <ModeChoice mode={mode} currentMode={currentMode} onChange={setChosen} />
        {mode === 'own' && (
          <WebhookForm
            key={`${currentMode}${value.updatedAt ?? ''}`}
            current={currentMode === 'own' ? { ...value, headerNames: first.record?.headerNames } : {}}
            suggested={suggested}
            offers={['chats', 'headers']}
            onSave={async (input) => applyWebhook(await client.webhook.save({ action: 'update', ...input }))}
          />
        )}
        {mode === 'inherit' && currentMode !== 'inherit' && (
          <ActionButton class="main" onAction={async () => applyWebhook(await client.webhook.inherit())}>
            {words.inheritConfirm}
          </ActionButton>
        )}
        {mode === 'off' && others.length > 0 && <p class="note">{words.othersStay}</p>}
        {mode === 'off' && currentMode !== 'off' && (
          <ActionButton class="danger" onAction={turnOff}>
            {words.offConfirm}
          </ActionButton>
        )}
        {currentMode === 'inherit' && value.url && (
          <p class="small">
            <code>{value.url}</code>
          </p>
        )}
      </section>
      <div class="stack">
        <WebhookStatus {...props} webhook={first} onChange={() => Promise.all([reload(), onChange()])} />
        <CodeSamples token={token} isFirst />
      </div>
    </div>
  )
}

interface ModeChoiceProps {
  mode: Mode
  currentMode: Mode
  onChange: (mode: Mode) => void
}

const ModeChoice = ({ mode, currentMode, onChange }: ModeChoiceProps) => (
  <fieldset>
    <legend>{words.mode}</legend>
    {(['own', 'inherit', 'off'] as const).map((option) => (
      <label class="check" key={option}>
        <input type="radio" name="mode" checked={mode === option} onChange={() => onChange(option)} />
        <span>
          <span class="strong">{words.modes[option]}</span>
          {option === currentMode && <span class="small quiet"> · {words.now}</span>}
          <br />
          <span class="small quiet">{words.modeHints[option]}</span>
        </span>
      </label>
    ))}
  </fieldset>
)
