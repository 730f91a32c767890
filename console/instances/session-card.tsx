// The card with the actions on the whole session: restart, disconnect, delete.

import { useState } from 'preact/hooks'
import { go } from '../route.ts'
import { signOut } from '../session.ts'
import { texts } from '../texts.ts'
import { Act, Button } from '../ui/act.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/parts.tsx'
import type { DeviceProps } from './acts.ts'

const words = texts.instance

export function SessionCard({ acts, session, state, connection }: DeviceProps) {
  const [asking, setAsking] = useState<'' | 'disconnect' | 'delete'>('')
  const [told, setTold] = useState('')
  const close = () => setAsking('')
  return (
    <section class="card stack">
      <h2>{words.session}</h2>
      <Doing says={words.restartSays}>
        <Act act={async () => state.set(await acts.restart())} disabled={!connection.jid}>
          {words.restart}
        </Act>
      </Doing>
      <Doing says={words.disconnectSays}>
        <Button onClick={() => setAsking('disconnect')}>{words.disconnect}</Button>
      </Doing>
      <Doing says={words.deleteSays}>
        <Button class="danger" onClick={() => setAsking('delete')}>
          {words.delete}
        </Button>
      </Doing>
      {told && (
        <p class="note" role="status">
          {told}
        </p>
      )}
      {asking === 'disconnect' && (
        <Dialog
          title={words.confirmDisconnect}
          onClose={close}
          onSubmit={async () => {
            const { unlinked } = await acts.disconnect()
            setTold(unlinked ? words.unlinkedTrue : words.unlinkedFalse)
            close()
            await state.reload()
          }}
          actions={(busy) => (
            <>
              <Button onClick={close}>{texts.cancel}</Button>
              <Button class="danger main" type="submit" busy={busy}>
                {words.disconnect}
              </Button>
            </>
          )}
        >
          <p>{words.disconnectSays}</p>
        </Dialog>
      )}
      {asking === 'delete' && (
        <Delete
          name={connection.instance.name}
          onClose={close}
          remove={async () => {
            await acts.delete()
            if (session.admin) go('instances')
            else signOut()
          }}
        />
      )}
    </section>
  )
}

const Doing = ({ says, children }: { says: string; children: preact.ComponentChildren }) => (
  <div class="line even still">
    <p class="small quiet grow">{says}</p>
    <div class="stack tight">{children}</div>
  </div>
)

interface DeleteProps {
  name: string
  onClose: () => void
  remove: () => Promise<void>
}

function Delete({ name, onClose, remove }: DeleteProps) {
  const [typed, setTyped] = useState('')
  return (
    <Dialog
      title={`${words.delete}: ${name}`}
      onClose={onClose}
      onSubmit={remove}
      actions={(busy) => (
        <>
          <Button onClick={onClose}>{texts.cancel}</Button>
          <Button class="danger main" type="submit" busy={busy} disabled={typed !== name}>
            {words.deleteDo}
          </Button>
        </>
      )}
    >
      <p class="note bad">{words.deleteSays}</p>
      <Field label={words.deleteType(name)} value={typed} onInput={setTyped} autofocus />
    </Dialog>
  )
}
