// What others see of an account, its picture and its name; and what the instance is called here.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { Instance } from '@msgnet/shared/contract/responses/instance-responses.ts'
import { useState } from 'preact/hooks'
import type { AccountProps } from '../account-props.ts'
import { invalidatePicture } from '../conversation/load-pictures.ts'
import { Portrait } from '../conversation/portrait.tsx'
import { texts } from '../texts.ts'
import { ActionButton } from '../ui/action-button.tsx'
import { Field } from '../ui/elements.tsx'
import { Section } from '../ui/page-header.tsx'
import { CropDialog } from './crop-dialog.tsx'

const words = texts.account.profile

export function ProfilePage({ client, connection, onChange }: AccountProps) {
  const { instance, jid } = connection
  return (
    <>
      <p class="quiet">{words.description}</p>
      <ul class="settings">
        <PictureSetting client={client} jid={jid} name={instance.profileName || instance.name} />
        <NameSetting {...{ client, onChange }} present={instance.profileName} />
      </ul>
      <Section title={words.here} hint={words.hereHint}>
        <ul class="settings">
          <InstanceNameSetting {...{ client, onChange }} present={instance.name} />
          <DelaySetting {...{ client, onChange, instance }} />
        </ul>
      </Section>
    </>
  )
}

interface PictureProps {
  client: InstanceClient
  jid: string
  name: string
}

function PictureSetting({ client, jid, name }: PictureProps) {
  const [file, setFile] = useState<File>()
  const changePicture = async (image: string) => {
    await client.changeProfileImage({ image })
    invalidatePicture(client, jid)
  }
  return (
    <li class="setting">
      <span class="large-portrait">
        <Portrait client={client} jid={jid} name={name} />
      </span>
      <div class="grow">
        <p class="strong">{words.picture}</p>
        <p class="small quiet">{words.pictureHint}</p>
      </div>
      <div class="line">
        <label class="button file-button">
          {words.choosePicture}
          <input
            class="unseen"
            type="file"
            accept="image/jpeg,image/png,image/gif"
            onChange={(event) => {
              setFile(event.currentTarget.files?.[0])
              // The same file can be chosen again.
              event.currentTarget.value = ''
            }}
          />
        </label>
        <ActionButton onAction={() => changePicture('remove')}>{words.removePicture}</ActionButton>
      </div>
      {file && (
        <CropDialog
          file={file}
          onUse={(image) => changePicture(image).then(() => setFile(undefined))}
          onClose={() => setFile(undefined)}
        />
      )}
    </li>
  )
}

interface NameProps {
  client: InstanceClient
  present: string
  onChange: () => unknown
}

function NameSetting({ client, present, onChange }: NameProps) {
  const [typed, setTyped] = useState(present)
  const [saved, setSaved] = useState('')
  const saveName = async () => {
    const { profile } = await client.renameProfile({ name: typed })
    setSaved(profile.name)
    await onChange()
  }
  const now = saved || present
  return (
    <li class="setting">
      <div class="grow">
        <Field label={words.name} hint={words.nameHint} value={typed} onInput={setTyped} />
        {now && <p class="small">{words.nameNow(now)}</p>}
      </div>
      <ActionButton onAction={saveName} disabled={!typed.trim() || typed === now}>
        {texts.save}
      </ActionButton>
    </li>
  )
}

function InstanceNameSetting({ client, present, onChange }: NameProps) {
  const [typed, setTyped] = useState(present)
  return (
    <li class="setting">
      <div class="grow">
        <Field label={words.instanceName} value={typed} onInput={setTyped} />
      </div>
      <ActionButton
        onAction={() => client.renameInstance({ name: typed }).then(onChange)}
        disabled={!typed.trim() || typed === present}
      >
        {texts.save}
      </ActionButton>
    </li>
  )
}

interface DelayProps {
  client: InstanceClient
  instance: Instance
  onChange: () => unknown
}

function DelaySetting({ client, instance, onChange }: DelayProps) {
  const [least, setLeast] = useState(String(instance.msg_delay_min))
  const [most, setMost] = useState(String(instance.msg_delay_max))
  const isSame = Number(least) === instance.msg_delay_min && Number(most) === instance.msg_delay_max
  const saveDelay = async () => {
    await client.changeDelay({ msg_delay_min: Number(least), msg_delay_max: Number(most) })
    await onChange()
  }
  return (
    <li class="setting">
      <div class="grow stack tight">
        <div class="columns">
          <Field label={words.delayMin} value={least} onInput={setLeast} type="number" inputMode="numeric" />
          <Field label={words.delayMax} value={most} onInput={setMost} type="number" inputMode="numeric" />
        </div>
        <p class="small quiet">{words.delayHint}</p>
      </div>
      <ActionButton onAction={saveDelay} disabled={isSame || !least || !most}>
        {texts.save}
      </ActionButton>
    </li>
  )
}
