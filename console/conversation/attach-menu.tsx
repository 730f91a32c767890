// What can be sent besides a text: a file, a place, a contact, a poll; each but the file has a form of its own.

import { useState } from 'preact/hooks'
import { texts } from '../texts.ts'
import { Button, useAction } from '../ui/action-button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon } from '../ui/icon.tsx'
import type { AttachProps, attachForms } from './attach-forms.tsx'
import { loadThreadParts } from './load-thread-parts.ts'

const words = texts.conversation

const icons = { place: 'place', contact: 'user', poll: 'poll' } as const
type FormName = keyof typeof icons
type Forms = typeof attachForms

export function AttachMenu(props: AttachProps) {
  const [isOpen, setOpen] = useState(false)
  const [form, setForm] = useState<FormName>()
  const [forms, setForms] = useState<Forms>()
  const action = useAction()
  const openForm = async (name: FormName) => {
    setOpen(false)
    setForms((await loadThreadParts()).attachForms)
    setForm(name)
  }
  const OpenForm = form && forms?.[form]
  return (
    <div class="attach">
      <button
        type="button"
        class="button"
        aria-expanded={isOpen}
        aria-label={words.attachMenu}
        title={words.attachMenu}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="plus" />
      </button>
      <div class="menu" hidden={!isOpen}>
        <label class="button bare">
          <Icon name="attach" size={16} /> {words.attach}
          <input
            type="file"
            multiple
            class="unseen"
            onChange={(event) => {
              setOpen(false)
              props.onFiles(event.currentTarget.files)
              // Else the same file, chosen again, is no change.
              event.currentTarget.value = ''
            }}
          />
        </label>
        {(Object.keys(icons) as FormName[]).map((name) => (
          <Button key={name} class="bare" onClick={() => action.run(() => openForm(name))}>
            <Icon name={icons[name]} size={16} /> {words.attachments[name]}
          </Button>
        ))}
      </div>
      {action.error !== undefined && <ErrorNote error={action.error} onClose={action.clearError} />}
      {OpenForm && <OpenForm {...props} onClose={() => setForm(undefined)} />}
    </div>
  )
}
