// The links of an instance to the page for one purpose that can still be used, and the dialog that creates one.

import type { AdminClient } from '@msgnet/client/admin-client.ts'
import type { LinkPurpose } from '@msgnet/shared/contract/link-requests.ts'
import type { LinkRecord } from '@msgnet/shared/contract/responses/link-responses.ts'
import { useState } from 'preact/hooks'
import { texts } from '../texts.ts'
import { Button } from '../ui/action-button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { useLoad } from '../ui/use-load.ts'
import { LiveLinks } from './live-links.tsx'
import { SendLinkDialog } from './send-link-dialog.tsx'

const RELOAD_MS = 15_000

export function LinkSender({ admin, id, purpose }: { admin: AdminClient; id: string; purpose: LinkPurpose }) {
  const [isOpen, setOpen] = useState(false)
  const { value, error, reload } = useLoad(() => admin.instances.links.list(id), [admin, id], RELOAD_MS)
  const links = (value?.links ?? []).filter((link) => link.purpose === purpose)
  const deleteLink = async (link: LinkRecord) => {
    await admin.instances.links.delete(id, link.id)
    await reload()
  }
  return (
    <>
      {error !== undefined && <ErrorNote error={error} />}
      {links.length === 0 && (
        <div class="line even">
          <p class="small quiet grow">{texts.links.titles[purpose]}</p>
          <Button onClick={() => setOpen(true)}>{texts.links.send}</Button>
        </div>
      )}
      {!isOpen && <LiveLinks links={links} onDelete={deleteLink} onCreate={() => setOpen(true)} />}
      {isOpen && (
        <SendLinkDialog
          {...{ admin, id, purpose, links, onChange: reload, onDelete: deleteLink }}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}
