// The dialog that creates an instance and shows its token once.

import { useState } from 'preact/hooks'
import type { AdminClient } from '../../client/admin.ts'
import { go } from '../route.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/act.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useLoad } from '../ui/load.ts'
import { Field, Secret } from '../ui/parts.tsx'

interface Made {
  id: string
  token: string
}
interface Props {
  admin: AdminClient
  onMade: (made: Made) => void
  onClose: () => void
}

const words = texts.instances

export function CreateInstance({ admin, onMade, onClose }: Props) {
  const [name, setName] = useState('')
  const [companyId, setCompany] = useState('')
  const [kind, setKind] = useState<'msgnet' | 'calls'>('msgnet')
  const [made, setMade] = useState<Made>()
  const server = useLoad(() => admin.capabilities(), [admin])
  if (made) return <NewToken made={made} onClose={onClose} />
  const create = async () => {
    const { instance } = await admin.instances.create({ name, kind, ...(companyId && { companyId }) })
    setMade(instance)
    onMade(instance)
  }
  return (
    <Dialog
      title={words.create}
      onClose={onClose}
      onSubmit={create}
      actions={(busy) => (
        <>
          <Button onClick={onClose}>{texts.cancel}</Button>
          <Button class="main" type="submit" busy={busy} disabled={!name.trim()}>
            {words.make}
          </Button>
        </>
      )}
    >
      <Field
        label={words.nameLabel}
        hint={words.nameHint}
        value={name}
        onInput={setName}
        required
        autofocus
      />
      <Field label={words.company} hint={words.companyHint} value={companyId} onInput={setCompany} />
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
    </Dialog>
  )
}

const NewToken = ({ made, onClose }: { made: Made; onClose: () => void }) => (
  <Dialog
    title={words.made}
    onClose={onClose}
    onSubmit={() => go('instances', made.id)}
    actions={() => (
      <Button class="main" type="submit">
        {words.continue}
      </Button>
    )}
  >
    <p class="note warn">{words.tokenOnce}</p>
    <Secret text={made.token} />
  </Dialog>
)
