// The dialog that creates a one-time link for one person, shows it once, and lists the links that can be used.

import type { AdminClient } from '@msgnet/client/admin-client.ts'
import type { LinkLanguage, LinkPurpose } from '@msgnet/shared/contract/link-requests.ts'
import type { LinkCreated, LinkRecord } from '@msgnet/shared/contract/responses/link-responses.ts'
import { useState } from 'preact/hooks'
import { texts } from '../texts.ts'
import { Button } from '../ui/action-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { RadioLine, SecretText } from '../ui/elements.tsx'
import { QrPicture } from '../ui/qr-picture.tsx'
import { LiveLinks } from './live-links.tsx'

const words = texts.links

interface Props {
  admin: AdminClient
  id: string
  purpose: LinkPurpose
  links: LinkRecord[]
  onChange: () => Promise<void>
  onDelete: (link: LinkRecord) => Promise<void>
  onClose: () => void
}

const toOptions = <Value extends string>(labels: Record<Value, string>) =>
  (Object.entries(labels) as [Value, string][]).map(([value, label]) => ({ value, label }))

export function SendLinkDialog({ admin, id, purpose, links, onChange, onDelete, onClose }: Props) {
  const [seconds, setSeconds] = useState('3600')
  const [language, setLanguage] = useState<LinkLanguage | ''>('')
  const [created, setCreated] = useState<LinkCreated>()
  const createLink = async () => {
    const request = { purpose, expiresIn: Number(seconds), ...(language && { language }) }
    setCreated(await admin.instances.links.create(id, request))
    await onChange()
  }
  const deleteLink = async (link: LinkRecord) => {
    await onDelete(link)
    if (link.id === created?.id) setCreated(undefined)
  }
  return (
    <Dialog
      title={words.titles[purpose]}
      onClose={onClose}
      onSubmit={created ? onClose : createLink}
      renderActions={(busy) => (
        <>
          {!created && <Button onClick={onClose}>{texts.cancel}</Button>}
          <Button class="main" type="submit" busy={busy}>
            {created ? texts.close : words.create}
          </Button>
        </>
      )}
    >
      {created ? (
        <NewLink url={created.url} />
      ) : (
        <>
          <p class="quiet">{words.hints[purpose]}</p>
          <h3>{words.lifetime}</h3>
          <RadioLine
            legend={words.lifetime}
            name="lifetime"
            options={toOptions(words.lifetimes as Record<string, string>)}
            value={seconds}
            onChange={setSeconds}
          />
          <h3>{words.language}</h3>
          <RadioLine
            legend={words.language}
            name="language"
            options={toOptions(words.languages)}
            value={language}
            onChange={setLanguage}
          />
        </>
      )}
      <LiveLinks links={links} onDelete={deleteLink} />
    </Dialog>
  )
}

const NewLink = ({ url }: { url: string }) => (
  <>
    <p class="note warn">{words.created}</p>
    <SecretText text={url} />
    <QrPicture text={url} alt={words.qrAlt} />
  </>
)
