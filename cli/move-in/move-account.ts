// Moves one account: an instance of its name, its credential, its webhook, and then the connection. What fails leaves nothing here.

import { setTimeout as wait } from 'node:timers/promises'
import {
  type AdminClient,
  connectInstance,
  GatewayError,
  GatewayUnreachable,
  type InstanceClient,
} from '@msgnet/client/client.ts'
import { limits } from '@msgnet/shared/contract/limits.ts'
import { MINUTE, SECOND } from '@msgnet/shared/date-time.ts'
import { CredentialLines } from './credential-lines.ts'
import type { MoveLog, MoveStep } from './move-log.ts'
import type { MovingAccount } from './moving-source.ts'

const LOGIN_WITHIN_MS = 2 * MINUTE
/** By then a gateway has ended an import whose sender was killed. */
const OLD_IMPORT_ENDS_WITHIN_MS = 2 * MINUTE
const POLL_MS = 500
/** Another program that still runs takes the connection back sooner than this. */
const PROOF_MS = 10 * SECOND

type InstanceRecord = Awaited<ReturnType<AdminClient['instances']['list']>>[number]

export interface Target {
  baseUrl: string
  adminToken: string
  admin: AdminClient
  /** Those that it has when the run begins. */
  instances: InstanceRecord[]
}

export interface MoveResult {
  account: MovingAccount
  /** Undefined if it has moved. */
  failure?: string
  /** What did not come along. */
  notes: string[]
}

/** The account cannot be moved, and why. */
class MoveFailed extends Error {}

const REASONS: Record<string, string> = {
  replaced:
    'replaced: its old gateway still runs, and has taken the connection back. End it, and run this again',
  logged_out: 'logged_out: its phone has unlinked the device. It must be linked anew',
  banned: 'banned: the network refuses the account',
  bad_session: 'bad_session: the network does not accept its credential',
  outdated: 'outdated: the network asks for a newer version of its client',
}

const isConflict = (error: unknown): boolean =>
  error instanceof GatewayError && error.error === 'session_conflict'

const describeError = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export class AccountMove {
  readonly #account: MovingAccount
  readonly #target: Target
  readonly #log: MoveLog
  readonly #printProgress: (text: string) => void
  readonly #entry: Pick<MoveStep, 'source' | 'id' | 'name'>
  readonly #notes: string[]
  #instance = ''
  /** An earlier run, which was killed, has created the instance. */
  #isResumed = false
  #loggedInAt = 0

  /** `printProgress` shows the operator what the move waits for. */
  constructor(
    account: MovingAccount,
    source: string,
    target: Target,
    log: MoveLog,
    printProgress: (text: string) => void,
  ) {
    this.#account = account
    this.#target = target
    this.#log = log
    this.#printProgress = printProgress
    this.#entry = { source, id: account.id, name: account.name }
    this.#notes = [...account.notMoved]
  }

  /** Until it is logged in. */
  async move(): Promise<MoveResult> {
    try {
      await this.#createInstance()
      await this.#runAfterOldImport(() => this.#importCredential())
      await this.#saveProxy()
      // Before it connects: what has waited for the device comes at once.
      await this.#saveWebhook()
      await this.#connect()
      return { account: this.#account, notes: this.#notes }
    } catch (error) {
      return this.#fail(error)
    }
  }

  /** That it stays logged in. */
  async prove(): Promise<MoveResult> {
    try {
      while (Date.now() < this.#loggedInAt + PROOF_MS) {
        await wait(POLL_MS)
        await this.#checkLogin()
      }
      this.#log.append({ ...this.#entry, step: 'moved', instance: this.#instance })
      return { account: this.#account, notes: this.#notes }
    } catch (error) {
      return this.#fail(error)
    }
  }

  async #createInstance(): Promise<void> {
    const last = this.#log.findLast(this.#entry)
    if (last?.step === 'created' && last.instance && (await this.#findInstance(last.instance))) {
      this.#instance = last.instance
      this.#isResumed = true
      return
    }
    const { number } = this.#account
    const present = this.#target.instances.find(({ owner }) => owner === number)
    if (present) throw new MoveFailed(`${present.name} (${present.id}) has this number here already`)
    const { id, token } = last?.step === 'begun' ? await this.#repeatCreation(last) : await this.#create()
    this.#instance = id
    this.#log.append({ ...this.#entry, step: 'created', instance: id, token })
  }

  async #create(key: string = crypto.randomUUID()): Promise<{ id: string; token: string }> {
    this.#log.append({ ...this.#entry, step: 'begun', key })
    const { instance } = await this.#target.admin.instances.create(
      { name: this.#instanceName },
      { idempotencyKey: key },
    )
    return instance
  }

  /** A run was cut off, and may have created it or not. */
  async #repeatCreation({ at, key }: MoveStep): Promise<{ id: string; token: string }> {
    const begun = Date.parse(at)
    if (Date.now() < begun + limits.initRetentionSeconds * SECOND - MINUTE) return this.#create(key)
    const left = this.#target.instances.find(
      ({ name, owner, createdAt }) =>
        name === this.#instanceName && owner === '' && Date.parse(createdAt) >= begun,
    )
    if (!left) return this.#create()
    const { token } = await this.#target.admin.instances.renewToken(left.id)
    return { id: left.id, token }
  }

  /** The same name, as far as one may be so here. */
  get #instanceName(): string {
    const { name, number } = this.#account
    return (
      name
        .replaceAll(/\p{Cc}/gu, ' ')
        .trim()
        .slice(0, limits.maxNameLength) || number
    )
  }

  async #findInstance(id: string) {
    try {
      return await this.#target.admin.instances.status(id)
    } catch (error) {
      if (error instanceof GatewayError && error.status === 404) return undefined
      throw error
    }
  }

  /** After a run was killed the gateway may still wait for the rest of its import. Until that import ends, it refuses another one and a connect. */
  async #runAfterOldImport(act: () => Promise<unknown>): Promise<void> {
    const end = Date.now() + OLD_IMPORT_ENDS_WITHIN_MS
    for (let isPrinted = false; ; isPrinted = true) {
      try {
        await act()
        return
      } catch (error) {
        if (!this.#isResumed || !isConflict(error) || Date.now() > end) throw error
      }
      if (!isPrinted) this.#printProgress('waits until the gateway ends the import of a run that was killed')
      await wait(POLL_MS)
    }
  }

  async #importCredential(): Promise<void> {
    const status = await this.#target.admin.instances.status(this.#instance)
    // By a run that was cut off.
    if (status.instance.owner !== '') return
    const { number, readRows } = this.#account
    const lines = new CredentialLines(number, readRows)
    await this.#target.admin.instances
      .import(this.#instance, () => lines.open())
      .catch((error) => {
        throw lines.failure ?? error
      })
    this.#notes.push(...lines.describeLeftOut())
  }

  /** By another way than before, the network might refuse it. */
  async #saveProxy(): Promise<void> {
    const { proxy } = this.#account
    if (proxy) await this.#openInstance().proxy.save({ enable: true, proxy_url: proxy })
  }

  #openInstance(): InstanceClient {
    const { baseUrl, adminToken } = this.#target
    return connectInstance({ baseUrl, adminToken, instance: this.#instance })
  }

  async #saveWebhook(): Promise<void> {
    const { webhook } = this.#account
    if (!webhook) return
    try {
      await this.#openInstance().webhook.save(webhook)
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      this.#notes.push(`its webhook ${new URL(webhook.url).origin}: ${error.message}`)
    }
  }

  async #connect(): Promise<void> {
    await this.#runAfterOldImport(() => this.#target.admin.instances.connect(this.#instance))
    const end = Date.now() + LOGIN_WITHIN_MS
    while (!(await this.#checkLogin())) {
      if (Date.now() > end) throw new MoveFailed('the network did not let it in within two minutes')
      await wait(POLL_MS)
    }
    this.#loggedInAt = Date.now()
  }

  async #checkLogin(): Promise<boolean> {
    const { loggedIn, instance } = await this.#target.admin.instances.status(this.#instance)
    if (instance.status === 'disconnected') {
      const reason = instance.lastDisconnectReason
      throw new MoveFailed(REASONS[reason] ?? `disconnected: ${reason || 'no reason was given'}`)
    }
    return loggedIn && instance.status === 'connected'
  }

  /** Of an account that the gateway cannot be told to forget now, the next run goes on. */
  async #fail(error: unknown): Promise<MoveResult> {
    const failure = describeError(error)
    const result = { account: this.#account, failure, notes: this.#notes }
    if (!this.#instance) return result
    // It may be logging in just now.
    if (error instanceof GatewayUnreachable) return { ...result, failure: `${failure} (run this again)` }
    try {
      // A device that is logged in would be unlinked by it.
      const { loggedIn } = await this.#target.admin.instances.status(this.#instance)
      if (loggedIn) return { ...result, failure: `${failure} (it is logged in here: run this again)` }
      await this.#target.admin.instances.delete(this.#instance)
    } catch (second) {
      return { ...result, failure: `${failure} (and then ${describeError(second)}: run this again)` }
    }
    this.#log.append({ ...this.#entry, step: 'failed', why: failure })
    return result
  }
}
