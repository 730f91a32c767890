// The dialogs of labels: create or change one, delete one, put one on a chat.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import { labelColors } from '@msgnet/shared/contract/label-colors.ts'
import type { Label } from '@msgnet/shared/contract/responses/setting-responses.ts'
import { useState } from 'preact/hooks'
import { formatNumber } from '../formats.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/action-button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field, RadioLine } from '../ui/elements.tsx'
import { Choice } from '../ui/filters.tsx'

const words = texts.people.labels

interface Props {
  client: InstanceClient
  onChange: () => Promise<void>
  onClose: () => void
}

/** Without a label: creates one. */
export function LabelDialog({ client, label, onChange, onClose }: Props & { label?: Label }) {
  const [name, setName] = useState(label?.name ?? '')
  const [color, setColor] = useState(label?.color ?? 0)
  const saveLabel = async () => {
    await client.editLabel({ name, color, ...(label && { labelid: label.labelid }) })
    onClose()
    await onChange()
  }
  return (
    <ConfirmDialog
      title={label ? words.edit : words.create}
      onClose={onClose}
      onConfirm={saveLabel}
      confirm={label ? texts.save : words.createConfirm}
      disabled={!name.trim()}
    >
      <Field label={words.name} value={name} onInput={setName} autofocus />
      <fieldset>
        <legend>{words.color}</legend>
        <div class="swatches">
          {labelColors.map((hex, index) => (
            <label key={hex} class="swatch-choice">
              <input
                type="radio"
                name="label-color"
                aria-label={words.colorNumber(formatNumber(index + 1))}
                checked={index === color}
                onChange={() => setColor(index)}
              />
              <i class="swatch" style={{ background: hex }} />
            </label>
          ))}
        </div>
      </fieldset>
    </ConfirmDialog>
  )
}

export function DeleteLabelDialog({ client, label, onChange, onClose }: Props & { label: Label }) {
  const deleteLabel = async () => {
    await client.editLabel({ labelid: label.labelid, delete: true })
    onClose()
    await onChange()
  }
  return (
    <ConfirmDialog
      title={words.deleteQuestion(label.name)}
      onClose={onClose}
      onConfirm={deleteLabel}
      confirm={words.delete}
      danger
    >
      <p>{words.deleteHint}</p>
    </ConfirmDialog>
  )
}

const directions = [
  { value: 'put', label: words.put },
  { value: 'takeOff', label: words.takeOff },
] as const

export function LabelChatDialog({ client, labels, onClose }: Props & { labels: Label[] }) {
  const [number, setNumber] = useState('')
  const [labelid, setLabelid] = useState(labels[0]?.labelid ?? '')
  const [direction, setDirection] = useState<'put' | 'takeOff'>('put')
  const [done, setDone] = useState(false)
  const changeChat = async () => {
    setDone(false)
    await client.labelChat({
      number,
      ...(direction === 'put' ? { add_labelid: labelid } : { remove_labelid: labelid }),
    })
    setDone(true)
  }
  return (
    <Dialog
      title={words.chat}
      onClose={onClose}
      onSubmit={changeChat}
      renderActions={(busy) => (
        <>
          {done && <span role="status">{words.done}</span>}
          <Button onClick={onClose}>{texts.close}</Button>
          <Button class="main" type="submit" busy={busy} disabled={!number.trim()}>
            {words[direction]}
          </Button>
        </>
      )}
    >
      <p class="quiet">{words.chatHint}</p>
      <Field
        label={words.chatNumber}
        hint={words.chatNumberHint}
        value={number}
        onInput={setNumber}
        autofocus
      />
      <Choice
        label={words.label}
        value={labelid}
        options={labels.map((label) => [label.labelid, label.name] as const)}
        onChange={setLabelid}
      />
      <RadioLine
        legend={words.chat}
        name="label-direction"
        options={directions}
        value={direction}
        onChange={setDirection}
      />
    </Dialog>
  )
}
