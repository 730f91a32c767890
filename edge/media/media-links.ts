// Links to files of messages. A link allows every program to fetch that one file for a day, or until the token is renewed.

import { ActorKind } from '@msgnet/shared/contract/audit-actions.ts'
import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { DAY, MINUTE } from '@msgnet/shared/date-time.ts'
import { encodeBase64Url } from '@msgnet/shared/random-tokens.ts'
import { SealError } from '@msgnet/shared/seal.ts'
import type { EventReport, ReceivedReport } from '@msgnet/shared/wire/host-reports.ts'
import * as z from 'zod'
import { log } from '../observability/edge-log.ts'
import { type Actor, findCredential } from '../request/request-context.ts'
import { encodeUtf8 } from '../runtime/bytes.ts'
import { findSealer } from '../sealed/sealers.ts'
import { type Env, readPublicOrigin } from '../settings/env.ts'
import type { Store } from '../store/database/open-store.ts'
import { findTokenDigests, type InstanceRow } from '../store/instance-queries.ts'
import { shortenDigest } from '../store/token-validity.ts'

const CONTEXT = 'media-link'

/** `token`: the beginning of the digest of the token that the link was made with, `credential`: whose token that was. */
const Link = z.object({
  instance: z.uuid(),
  token: z.string(),
  credential: ActorKind,
  messageid: z.string(),
  /** Whether a sound comes as MP3. */
  mp3: z.boolean().default(false),
  until: z.int(),
})
type Link = z.infer<typeof Link>

/** `tokenHash`: of the caller's token. */
interface LinkCaller {
  instance: Pick<InstanceRow, 'id'>
  tokenHash: string
  actor: Pick<Actor, 'kind' | 'grant'>
}

export async function sealLink(
  env: Env,
  { instance, tokenHash, actor }: LinkCaller,
  messageid: string,
  mp3 = false,
): Promise<string> {
  const sealer = await findSealer(env, 'edge/media-link')
  const until = Date.now() + DAY
  const token = shortenDigest(tokenHash)
  const link: Link = {
    instance: instance.id,
    token,
    credential: findCredential(actor),
    messageid,
    mp3,
    until,
  }
  return encodeBase64Url(await sealer.seal(encodeUtf8(JSON.stringify(link)), CONTEXT))
}

/** Undefined if this gateway did not create the link, or if the link has expired. */
export async function openLink(env: Env, sealed: string) {
  try {
    const bytes = Uint8Array.from(atob(sealed.replace(/-/g, '+').replace(/_/g, '/')), (char) =>
      char.charCodeAt(0),
    )
    const sealer = await findSealer(env, 'edge/media-link')
    const link = Link.parse(JSON.parse(new TextDecoder().decode(await sealer.open(bytes, CONTEXT))))
    if (link.credential === 'root' && link.token !== (await nameRootToken(env))) return undefined
    return link.until > Date.now() ? link : undefined
  } catch (error) {
    // By its seal alone a link of another gateway looks like an own one whose key is gone: an operator can tell them apart.
    if (error instanceof SealError) logClosedSeal(env, error)
    return undefined
  }
}

let sealLoggedAt = 0

/** Once a minute: anyone can request any link. */
function logClosedSeal(env: Env, error: SealError): void {
  if (Date.now() - sealLoggedAt < MINUTE) return
  sealLoggedAt = Date.now()
  log(env, 'warn', 'failed to open media link', { error })
}

const nameRootToken = async ({ ADMIN_TOKEN, runtime }: Env): Promise<string> =>
  shortenDigest(await runtime.cryptography.digest(ADMIN_TOKEN ?? ''))

/** The URL of a stored file: for a day for everyone, after that with a token of the instance. */
async function buildFileUrl(
  env: Env,
  caller: LinkCaller,
  origin: string,
  messageid: string,
): Promise<string> {
  const query = new URLSearchParams({ id: messageid, file: await sealLink(env, caller, messageid) })
  return `${origin}/media?${query}`
}

/** Returns the records; those with a stored file have its whole URL. */
export function linkStoredFiles(
  env: Env,
  caller: LinkCaller,
  origin: string,
  records: MessageRecord[],
): Promise<MessageRecord[]> {
  return Promise.all(
    records.map(async (record) =>
      record.fileURL
        ? { ...record, fileURL: await buildFileUrl(env, caller, origin, record.messageid) }
        : record,
    ),
  )
}

/** Where a report of a host names a stored file. */
function findLinkedPart(report: ReceivedReport) {
  if (report.t !== 'event') return undefined
  const { message, event } = report.payload as {
    message?: { messageid: string; fileURL?: string }
    event?: { MessageIDs?: string[]; fileURL?: string }
  }
  if (message?.fileURL) return { part: 'message', value: message, messageid: message.messageid }
  return event?.fileURL && { part: 'event', value: event, messageid: String(event.MessageIDs?.[0]) }
}

/** Returns the reports with whole URLs of stored files. The links are as if the instance's own token had asked for them. */
export async function linkReportedFiles<Item extends ReceivedReport>(
  env: Env,
  store: Store,
  reports: Item[],
): Promise<Item[]> {
  const origin = readPublicOrigin(env) ?? env.LISTENS_AT ?? ''
  const instances = reports.flatMap((report) =>
    findLinkedPart(report) ? (report as EventReport).instance : [],
  )
  const digests = await findTokenDigests(store, [...new Set(instances)])
  return Promise.all(
    reports.map(async (report) => {
      const found = findLinkedPart(report)
      if (!found || report.t !== 'event') return report
      const { part, value, messageid } = found
      const tokenHash = digests.get(report.instance) ?? ''
      const caller = { instance: { id: report.instance }, tokenHash, actor: { kind: 'instance' } } as const
      const fileURL = await buildFileUrl(env, caller, origin, messageid)
      return { ...report, payload: { ...report.payload, [part]: { ...value, fileURL } } }
    }),
  )
}

/** Almost no report names one. */
export const hasStoredFiles = (reports: ReceivedReport[]): boolean =>
  reports.some((report) => findLinkedPart(report) !== undefined)
