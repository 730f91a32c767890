// What can be sent besides a text: a file, a place, a contact, a poll; each but the file has a form.

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { InstanceClient } from '../../client/instance-client.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/action-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/elements.tsx'
import { Icon } from '../ui/icon.tsx'
import type { SendRequest } from './outgoing.ts'

const words = texts.conversation

interface Props {
  client: InstanceClient
  /** The chat, and the message that is replied to. */
  common: { number: string; replyid?: string }
  onFile: (files: FileList | null) => void
  onSend: (label: string, request: SendRequest) => void
}

const forms = { place: PlaceForm, contact: ContactForm, poll: PollForm }
const icons = { place: 'place', contact: 'user', poll: 'poll' } as const
type FormName = keyof typeof forms

export function AttachMenu(props: Props) {
  const [isOpen, setOpen] = useState(false)
  const [form, setForm] = useState<FormName>()
  const OpenForm = form && forms[form]
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
            class="unseen"
            onChange={(event) => {
              setOpen(false)
              props.onFile(event.currentTarget.files)
            }}
          />
        </label>
        {(Object.keys(forms) as FormName[]).map((name) => (
          <Button
            key={name}
            class="bare"
            onClick={() => {
              setOpen(false)
              setForm(name)
            }}
          >
            <Icon name={icons[name]} size={16} /> {words.attachments[name]}
          </Button>
        ))}
      </div>
      {OpenForm && <OpenForm {...props} onClose={() => setForm(undefined)} />}
    </div>
  )
}

type FormProps = Props & { onClose: () => void }

interface FormDialogProps {
  title: string
  label: string
  request: SendRequest
  isComplete: boolean
  onSend: Props['onSend']
  onClose: () => void
  children: ComponentChildren
}

function FormDialog({ title, label, request, isComplete, onSend, onClose, children }: FormDialogProps) {
  const submitForm = () => {
    if (!isComplete) return
    onSend(`${title}: ${label}`, request)
    onClose()
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={submitForm}
      renderActions={() => (
        <>
          <Button onClick={onClose}>{texts.cancel}</Button>
          <Button class="main" type="submit" disabled={!isComplete}>
            {words.send}
          </Button>
        </>
      )}
    >
      {children}
    </Dialog>
  )
}

const readDegrees = (typed: string): number => Number(typed.trim().replace(',', '.') || Number.NaN)

function PlaceForm({ client, common, ...rest }: FormProps) {
  const [name, setName] = useState('')
  const [address, setAddress] = useState('')
  const [typed, setTyped] = useState({ latitude: '', longitude: '' })
  const latitude = readDegrees(typed.latitude)
  const longitude = readDegrees(typed.longitude)
  return (
    <FormDialog
      {...rest}
      title={words.attachments.place}
      label={name || `${latitude}, ${longitude}`}
      isComplete={Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180}
      request={(options) => client.sendLocation({ ...common, latitude, longitude, name, address }, options)}
    >
      <Field
        label={words.latitude}
        placeholder="-23.5505"
        value={typed.latitude}
        onInput={(value) => setTyped({ ...typed, latitude: value })}
        autofocus
      />
      <Field
        label={words.longitude}
        placeholder="-46.6333"
        value={typed.longitude}
        onInput={(value) => setTyped({ ...typed, longitude: value })}
      />
      <Field label={words.placeName} value={name} onInput={setName} />
      <Field label={words.address} value={address} onInput={setAddress} />
    </FormDialog>
  )
}

function ContactForm({ client, common, ...rest }: FormProps) {
  const [fullName, setFullName] = useState('')
  const [phoneNumber, setPhoneNumber] = useState('')
  return (
    <FormDialog
      {...rest}
      title={words.attachments.contact}
      label={fullName}
      isComplete={fullName.trim() !== '' && phoneNumber.trim() !== ''}
      request={(options) => client.sendContact({ ...common, fullName, phoneNumber }, options)}
    >
      <Field label={words.contactName} value={fullName} onInput={setFullName} autofocus />
      <Field
        label={words.contactNumber}
        hint={words.contactNumberHint}
        inputMode="tel"
        value={phoneNumber}
        onInput={setPhoneNumber}
      />
    </FormDialog>
  )
}

const MAX_CHOICES = 12

function PollForm({ client, common, ...rest }: FormProps) {
  const [text, setText] = useState('')
  const [lines, setLines] = useState('')
  const choices = [...new Set(lines.split('\n').map((line) => line.trim()))].filter(Boolean)
  return (
    <FormDialog
      {...rest}
      title={words.attachments.poll}
      label={text}
      isComplete={text.trim() !== '' && choices.length >= 2 && choices.length <= MAX_CHOICES}
      request={(options) => client.sendMenu({ ...common, type: 'poll', text, choices }, options)}
    >
      <Field label={words.question} value={text} onInput={setText} autofocus />
      <label class="field">
        <span>{words.choices}</span>
        <textarea rows={4} value={lines} onInput={(event) => setLines(event.currentTarget.value)} />
        <span class="hint">{words.choicesHint}</span>
      </label>
    </FormDialog>
  )
}
