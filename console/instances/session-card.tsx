// The card with the actions on the whole session: restart, disconnect, delete.

import { useState } from 'preact/hooks'
import { signOut } from '../console-session.ts'
import { navigateTo } from '../hash-route.ts'
import { texts } from '../texts.ts'
import { ActionButton, Button } from '../ui/action-button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Field } from '../ui/elements.tsx'
import type { DeviceProps } from './instance-controls.ts'

const words = texts.instance

export function SessionCard({ controls, session, state, connection }: DeviceProps) {
  const [openDialog, setOpenDialog] = useState<'' | 'disconnect' | 'delete'>('')
  const [message, setMessage] = useState('')
  const closeDialog = () => setOpenDialog('')
  return (
    <section class="card stack">
      <h2>{words.session}</h2>
      <DescribedAction description={words.restartHint}>
        <ActionButton onAction={async () => state.set(await controls.restart())} disabled={!connection.jid}>
          {words.restart}
        </ActionButton>
      </DescribedAction>
      <DescribedAction description={words.disconnectHint}>
        <Button
          onClick={() => setOpenDialog('disconnect')}
          disabled={!connection.jid && connection.instance.status === 'disconnected'}
        >
          {words.disconnect}
        </Button>
      </DescribedAction>
      <DescribedAction description={words.deleteHint}>
        <Button class="danger" onClick={() => setOpenDialog('delete')}>
          {words.delete}
        </Button>
      </DescribedAction>
      {message && (
        <p class="note" role="status">
          {message}
        </p>
      )}
      {openDialog === 'disconnect' && (
        <DisconnectDialog
          onClose={closeDialog}
          onDisconnect={async () => {
            const { unlinked } = await controls.disconnect()
            setMessage(unlinked ? words.unlinkedTrue : words.unlinkedFalse)
            closeDialog()
            await state.reload()
          }}
        />
      )}
      {openDialog === 'delete' && (
        <DeleteDialog
          name={connection.instance.name}
          onClose={closeDialog}
          onDelete={async () => {
            await controls.delete()
            if (session.admin) navigateTo('instances')
            else signOut()
          }}
        />
      )}
    </section>
  )
}

const DescribedAction = ({
  description,
  children,
}: {
  description: string
  children: preact.ComponentChildren
}) => (
  <div class="line even still">
    <p class="small quiet grow">{description}</p>
    <div class="stack tight">{children}</div>
  </div>
)

interface DisconnectProps {
  onClose: () => void
  onDisconnect: () => Promise<void>
}

const DisconnectDialog = ({ onClose, onDisconnect }: DisconnectProps) => (
  <ConfirmDialog
    title={words.confirmDisconnect}
    onClose={onClose}
    onConfirm={onDisconnect}
    confirm={words.disconnect}
    danger
  >
    <p>{words.disconnectHint}</p>
  </ConfirmDialog>
)

interface DeleteProps {
  name: string
  onClose: () => void
  onDelete: () => Promise<void>
}

function DeleteDialog({ name, onClose, onDelete }: DeleteProps) {
  const [typed, setTyped] = useState('')
  return (
    <ConfirmDialog
      title={`${words.delete}: ${name}`}
      onClose={onClose}
      onConfirm={onDelete}
      confirm={words.deleteConfirm}
      danger
      disabled={typed !== name}
    >
      <p class="note bad">{words.deleteHint}</p>
      <Field label={words.deleteType(name)} value={typed} onInput={setTyped} autofocus />
    </ConfirmDialog>
  )
}
