// The limits of this server in groups: what each bounds, and how much it is here.

import type { AdminClient } from '@msgnet/client/admin-client.ts'
import { DAY } from '@msgnet/shared/date-time.ts'
import { formatBytes, formatDuration, formatNumber } from '../formats.ts'
import { texts } from '../texts.ts'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { LoadedContent } from '../ui/list-page.tsx'
import { PageHeader, Section } from '../ui/page-header.tsx'
import { useLoad } from '../ui/use-load.ts'

const words = texts.limits

type LimitName = keyof typeof words.names
type Group = keyof typeof words.groups
type Unit = keyof typeof writers

const writers = {
  count: formatNumber,
  bytes: formatBytes,
  pixels: (value: number) => `${formatNumber(value)} px`,
  seconds: (value: number) => formatDuration(value * 1000),
  milliseconds: formatDuration,
  days: (value: number) => formatDuration(value * DAY),
}

const kinds: Record<LimitName, readonly [Group, Unit]> = {
  sendsPerSecond: ['rates', 'count'],
  sendsAtOnce: ['rates', 'count'],
  requestsPerMinute: ['rates', 'count'],
  streamsPerMinute: ['rates', 'count'],
  streamsAtOnce: ['rates', 'count'],
  scheduledMessages: ['rates', 'count'],
  presenceChats: ['rates', 'count'],
  checkedUsernames: ['rates', 'count'],
  webhookChangesPerMinute: ['rates', 'count'],
  webhookTestsPerMinute: ['rates', 'count'],
  webhooks: ['rates', 'count'],
  webhookChats: ['rates', 'count'],
  webhookHeaders: ['rates', 'count'],
  replaysAtOnce: ['rates', 'count'],
  replayEvents: ['rates', 'count'],
  urlFetchesAtOnce: ['rates', 'count'],
  chatReadMessages: ['rates', 'count'],
  requestedHistoryMessages: ['rates', 'count'],
  bodyBytes: ['sizes', 'bytes'],
  importBytes: ['sizes', 'bytes'],
  mediaBodyBytes: ['sizes', 'bytes'],
  imageBodyBytes: ['sizes', 'bytes'],
  mediaBytes: ['sizes', 'bytes'],
  base64Bytes: ['sizes', 'bytes'],
  menuPictureBytes: ['sizes', 'bytes'],
  albumFiles: ['sizes', 'count'],
  imageBytes: ['sizes', 'bytes'],
  imageSide: ['sizes', 'pixels'],
  pageBytesPerMinute: ['rates', 'bytes'],
  openPageBytesPerMinute: ['rates', 'bytes'],
  instanceBodyBytes: ['sizes', 'bytes'],
  allBodyBytes: ['sizes', 'bytes'],
  textLength: ['lengths', 'count'],
  nameLength: ['lengths', 'count'],
  groupNameLength: ['lengths', 'count'],
  groupDescriptionLength: ['lengths', 'count'],
  profileNameLength: ['lengths', 'count'],
  aboutLength: ['lengths', 'count'],
  webhookUrlLength: ['lengths', 'count'],
  webhookSecretLength: ['lengths', 'count'],
  webhookHeaderLength: ['lengths', 'count'],
  requestIdLength: ['lengths', 'count'],
  idempotencyKeyLength: ['lengths', 'count'],
  numberDigitsMin: ['lengths', 'count'],
  numberDigitsMax: ['lengths', 'count'],
  eventListMin: ['pages', 'count'],
  eventListDefault: ['pages', 'count'],
  eventListMax: ['pages', 'count'],
  eventPageBytes: ['pages', 'bytes'],
  instanceListDefault: ['pages', 'count'],
  instanceListMax: ['pages', 'count'],
  replaySeconds: ['times', 'seconds'],
  initReplaySeconds: ['times', 'seconds'],
  scheduleDays: ['times', 'days'],
  sendDelayMs: ['times', 'milliseconds'],
  connectWaitMs: ['times', 'milliseconds'],
  busyRetrySeconds: ['times', 'seconds'],
  limitedRetrySeconds: ['times', 'seconds'],
}

const columns: readonly Column<[LimitName, number]>[] = [
  {
    key: 'limit',
    title: words.limit,
    narrow: 'title',
    width: '70%',
    render: ([name]) => (
      <span class="two">
        <span>{words.names[name]}</span>
        <code class="small quiet">{name}</code>
      </span>
    ),
  },
  {
    key: 'value',
    title: words.value,
    align: 'end',
    narrow: 'end',
    // The operator turns a rate off with 0; no other limit is ever 0.
    render: ([name, value]) =>
      value === 0 ? <span class="quiet">{words.unlimited}</span> : writers[kinds[name][1]](value),
  },
]

export function LimitsPage({ admin }: { admin: AdminClient }) {
  const loaded = useLoad(() => admin.capabilities(), [admin])
  return (
    <main class="page">
      <PageHeader title={texts.nav.limits} description={words.description} />
      <LoadedContent loaded={loaded} skeletonRows={8}>
        {({ limits }) =>
          (Object.keys(words.groups) as Group[]).map((group) => (
            <Section key={group} title={words.groups[group]}>
              <DataTable
                label={words.groups[group]}
                columns={columns}
                rows={listLimits(limits, group)}
                getKey={([name]) => name}
                isStale={loaded.isStale}
              />
            </Section>
          ))
        }
      </LoadedContent>
    </main>
  )
}

/** In the order in which they are explained. */
const listLimits = (limits: Record<LimitName, number>, group: Group) =>
  (Object.keys(kinds) as LimitName[])
    .filter((name) => kinds[name][0] === group)
    .map((name): [LimitName, number] => [name, limits[name]])
