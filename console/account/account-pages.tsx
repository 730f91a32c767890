// The pages of an instance about its account: people, profile, privacy, calls, export. The console loads them when one is opened.

import type { ComponentType } from 'preact'
import type { AccountProps } from '../account-props.ts'
import { ExportPage } from '../export/export-page.tsx'
import { toHash } from '../hash-route.ts'
import { BlockedPage } from '../people/blocked-page.tsx'
import { ContactsPage } from '../people/contacts-page.tsx'
import { LabelsPage } from '../people/labels-page.tsx'
import { ScheduledPage } from '../people/scheduled-page.tsx'
import { texts } from '../texts.ts'
import { EmptyState } from '../ui/notices.tsx'
import { CallsPage } from './calls-page.tsx'
import { PrivacyPage } from './privacy-page.tsx'
import { ProfilePage } from './profile-page.tsx'

const words = texts.account

export type AccountTab = keyof typeof linkedPages | 'export' | 'scheduled'

const linkedPages = {
  contacts: ContactsPage,
  labels: LabelsPage,
  blocked: BlockedPage,
  profile: ProfilePage,
  privacy: PrivacyPage,
  calls: CallsPage,
} satisfies Record<string, ComponentType<AccountProps>>

export function AccountPage(props: AccountProps & { tab: AccountTab }) {
  const { tab, connection } = props
  // What an instance has stored of an account is shown while it is away, too.
  if (tab === 'export') return <ExportPage {...props} />
  if (tab === 'scheduled') return <ScheduledPage {...props} />
  if (!connection.jid) return <NotLinked id={connection.instance.id} />
  const Page: ComponentType<AccountProps> = linkedPages[tab]
  return <Page {...props} />
}

const NotLinked = ({ id }: { id: string }) => (
  <EmptyState
    icon="phone"
    title={words.notLinked}
    hint={words.notLinkedHint}
    actions={
      <a class="button" href={toHash('instances', id, 'device')}>
        {words.toDevice}
      </a>
    }
  />
)
