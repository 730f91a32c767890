// The pages of an instance as a list in groups, beside the open one; on a small screen, a choice above it.

import { toHash } from '../hash-route.ts'
import { texts } from '../texts.ts'
import { Icon, type IconName } from '../ui/icon.tsx'

const words = texts.instance

/** The last part of each address. It stays as it is when a page moves to another group. */
const groups = [
  { name: '', tabs: ['device', 'chats', 'scheduled'] },
  { name: 'people', tabs: ['contacts', 'groups', 'labels', 'blocked'] },
  { name: 'delivery', tabs: ['webhook', 'deliveries'] },
  { name: 'settings', tabs: ['profile', 'privacy', 'proxy', 'calls'] },
  { name: 'data', tabs: ['export'] },
] as const

export type InstanceTab = (typeof groups)[number]['tabs'][number]

const icons: Record<InstanceTab, IconName> = {
  device: 'phone',
  chats: 'chat',
  scheduled: 'clock',
  contacts: 'user',
  groups: 'users',
  labels: 'tag',
  blocked: 'block',
  webhook: 'webhook',
  deliveries: 'list',
  profile: 'image',
  privacy: 'lock',
  proxy: 'sync',
  calls: 'bell',
  export: 'download',
}

/** An address that names no page is that of the device. */
export const toInstanceTab = (name: string): InstanceTab =>
  groups.flatMap(({ tabs }): readonly InstanceTab[] => tabs).find((tab) => tab === name) ?? 'device'

interface Props {
  id: string
  label: string
  current: InstanceTab
}

export const InstanceNav = (props: Props) => (
  <>
    <nav class="subnav" aria-label={props.label}>
      {groups.map(({ name, tabs }) => (
        <div key={name} class="subnav-group">
          {name && <span class="subnav-title">{words.tabGroups[name]}</span>}
          {tabs.map((tab) => (
            <a
              key={tab}
              class="item"
              href={toHash('instances', props.id, tab)}
              aria-current={tab === props.current ? 'page' : undefined}
              title={props.current === 'chats' ? words.tabs[tab] : undefined}
            >
              <Icon name={icons[tab]} size={16} />
              <span class="item-label">{words.tabs[tab]}</span>
            </a>
          ))}
        </div>
      ))}
    </nav>
    <NarrowChoice {...props} />
  </>
)

const NarrowChoice = ({ id, label, current }: Props) => (
  <select
    class="subnav-choice"
    aria-label={label}
    value={current}
    onChange={(event) => {
      location.hash = toHash('instances', id, event.currentTarget.value)
    }}
  >
    {groups.map(({ name, tabs }) => {
      const options = tabs.map((tab) => (
        <option key={tab} value={tab}>
          {words.tabs[tab]}
        </option>
      ))
      return name ? (
        <optgroup key={name} label={words.tabGroups[name]}>
          {options}
        </optgroup>
      ) : (
        options
      )
    })}
  </select>
)
