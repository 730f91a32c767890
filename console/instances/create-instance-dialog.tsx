// The dialog that creates an instance and shows its token once.

import type { AdminClient } from '@msgnet/client/admin-client.ts'
import { useState } from 'preact/hooks'
import { navigateTo } from '../hash-route.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/action-button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field, SecretText } from '../ui/elements.tsx'
import { useLoad } from '../ui/use-load.ts'

interface CreatedInstance {
  id: string
  token: string
}
interface Props {
  admin: AdminClient
  onCreated: (created: CreatedInstance) => void
  onClose: () => void
}

const words = texts.instances

export function CreateInstanceDialog({ admin, onCreated, onClose }: Props) {
  const [name, setName] = useState('')
  const [companyId, setCompanyId] = useState('')
  const [kind, setKind] = useState<'msgnet' | 'calls'>('msgnet')
  const [created, setCreated] = useState<CreatedInstance>()
  const server = useLoad(() => admin.capabilities(), [admin])
  if (created) return <NewToken created={created} onClose={onClose} />
  const createInstance = async () => {
    const { instance } = await admin.instances.create({ name, kind, ...(companyId && { companyId }) })
    setCreated(instance)
    onCreated(instance)
  }
  return (
    <ConfirmDialog
      title={words.create}
      onClose={onClose}
      onConfirm={createInstance}
      confirm={words.createConfirm}
      disabled={!name.trim()}
    >
      <Field
        label={words.nameLabel}
        hint={words.nameHint}
        value={name}
        onInput={setName}
        required
        autofocus
      />
      <Field label={words.company} hint={words.companyHint} value={companyId} onInput={setCompanyId} />
      {server.value?.capabilities.calls && (
        <fieldset>
          <legend>{words.kind}</legend>
          {(['msgnet', 'calls'] as const).map((each) => (
            <label class="check" key={each}>
              <input type="radio" name="kind" checked={kind === each} onChange={() => setKind(each)} />
              {words.kinds[each]}
            </label>
          ))}
        </fieldset>
      )}
    </ConfirmDialog>
  )
}

const NewToken = ({ created, onClose }: { created: CreatedInstance; onClose: () => void }) => (
  <Dialog
    title={words.created}
    onClose={onClose}
    onSubmit={() => navigateTo('instances', created.id)}
    renderActions={() => (
      <Button class="main" type="submit">
        {words.continue}
      </Button>
    )}
  >
    <p class="note warn">{words.tokenOnce}</p>
    <SecretText text={created.token} />
  </Dialog>
)
