// The forms of what can be sent besides a text and a file: a place, a contact, a poll. They are loaded when one of them is opened.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { formatId } from '../format-id.ts'
import { texts } from '../texts.ts'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Field } from '../ui/elements.tsx'
import { PeopleChoice, type Person } from './people-choice.tsx'
import type { SendRequest } from './stored-sends.ts'

const words = texts.conversation

export interface AttachProps {
  client: InstanceClient
  /** The chat, and the message that is replied to. */
  common: { number: string; replyid?: string }
  onFiles: (files: FileList | null) => void
  onSend: (label: string, request: SendRequest) => void
}

export const attachForms = { place: PlaceForm, contact: ContactForm, poll: PollForm }

type FormProps = AttachProps & { onClose: () => void }

interface FormDialogProps {
  title: string
  label: string
  request: SendRequest
  isComplete: boolean
  onSend: AttachProps['onSend']
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
    <ConfirmDialog
      title={title}
      onClose={onClose}
      onConfirm={submitForm}
      confirm={words.send}
      disabled={!isComplete}
    >
      {children}
    </ConfirmDialog>
  )
}

/** Two numbers with decimals, in this order, as they stand in links to a map and where coordinates are copied. */
const PLACE = /(-?\d{1,2}\.\d+)(?:[\s,;/]+|%2C|&[a-z]+=)(-?\d{1,3}\.\d+)/i

const readDegrees = (typed: string): number => Number(typed.trim().replace(',', '.') || Number.NaN)

function PlaceForm({ common, ...rest }: FormProps) {
  const [name, setName] = useState('')
  const [address, setAddress] = useState('')
  const [typed, setTyped] = useState({ latitude: '', longitude: '' })
  const typeFirst = (value: string) => {
    const [, first, second] = PLACE.exec(value) ?? []
    setTyped(first && second ? { latitude: first, longitude: second } : { ...typed, latitude: value })
  }
  const latitude = readDegrees(typed.latitude)
  const longitude = readDegrees(typed.longitude)
  return (
    <FormDialog
      {...rest}
      title={words.attachments.place}
      label={name || `${latitude}, ${longitude}`}
      isComplete={Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180}
      request={{ route: 'sendLocation', body: { ...common, latitude, longitude, name, address } }}
    >
      <Field
        label={words.latitude}
        placeholder="-23.5505"
        value={typed.latitude}
        hint={words.placeHint}
        onInput={typeFirst}
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
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState<Person[]>([])
  const [fullName, setFullName] = useState('')
  const [phoneNumber, setPhoneNumber] = useState('')
  return (
    <FormDialog
      {...rest}
      title={words.attachments.contact}
      label={fullName}
      isComplete={fullName.trim() !== '' && phoneNumber.trim() !== ''}
      request={{ route: 'sendContact', body: { ...common, fullName, phoneNumber } }}
    >
      <PeopleChoice
        {...{ client, typed }}
        label={words.contactSearch}
        hint=""
        onType={setTyped}
        chosen={chosen}
        isOffered={hasNumber}
        onChange={(people) => {
          const [person] = people.slice(-1)
          setChosen(people.slice(-1))
          setFullName(person?.name ?? '')
          setPhoneNumber(person ? formatId(person.id) : '')
        }}
      />
      <Field label={words.contactName} value={fullName} onInput={setFullName} />
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

const hasNumber = ({ id }: Person): boolean => id.endsWith('@s.msgnet.net')

const MAX_CHOICES = 12

function PollForm({ common, ...rest }: FormProps) {
  const [text, setText] = useState('')
  const [lines, setLines] = useState('')
  const choices = [...new Set(lines.split('\n').map((line) => line.trim()))].filter(Boolean)
  return (
    <FormDialog
      {...rest}
      title={words.attachments.poll}
      label={text}
      isComplete={text.trim() !== '' && choices.length >= 2 && choices.length <= MAX_CHOICES}
      request={{ route: 'sendMenu', body: { ...common, type: 'poll', text, choices } }}
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
