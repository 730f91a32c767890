// The version of the network's program that devices announce. Where it is followed, a newer one of the network's site takes its place
// when the network refuses it.

import { MINUTE, SECOND } from '@msgnet/shared/date-time.ts'
import { DEFAULT_CONNECTION_CONFIG, type WAVersion } from 'baileys'
import type { Log } from '../../../process/host-log.ts'
import type { Clock } from '../../../process/machine-clock.ts'
import type { Closing } from '../../driver.ts'
import { fetchSite, readPresentBuild } from '../../site/network-site.ts'
import type { ProxyAgents } from './proxy-agents.ts'

const SITE_WITHIN_MS = 10 * SECOND
/** Many sessions are refused at once, and callers may ask for attempts: the site is read once for all of these. */
const SITE_IS_NEW_MS = 10 * MINUTE

/** `2.3000.N`, as numbers; `auto` for the library's own until the network refuses that. */
export type VersionSetting = WAVersion | 'auto'

/** The agents of a connection's proxy; undefined without one. */
type OpenAgents = () => ProxyAgents | undefined

interface Deps {
  /** The library's own version by default. */
  version?: VersionSetting | undefined
  url: string
  clock: Clock
  log: Log
}

export class AnnouncedVersion {
  readonly #deps: Deps
  readonly #isFollowed: boolean
  #present: WAVersion
  #reading: { since: number; build: Promise<number | undefined> } | undefined

  constructor(deps: Deps) {
    this.#deps = deps
    this.#isFollowed = deps.version === 'auto'
    this.#present = Array.isArray(deps.version) ? deps.version : DEFAULT_CONNECTION_CONFIG.version
  }

  get present(): WAVersion {
    return this.#present
  }

  /**
   * What the end of a connection means that announced `announced`: a refusal is a reason to connect again at once, if there is a
   * newer version to announce now. `openAgents`: for the proxy of the
   * connection, through which the site is read too.
   */
  async follow(closing: Closing, announced: WAVersion, openAgents: OpenAgents): Promise<Closing> {
    if (!this.#isFollowed || closing.kind !== 'outdated') return closing
    if (announced[2] === this.#present[2]) await this.#adoptPresent(openAgents)
    return announced[2] === this.#present[2] ? closing : { ...closing, kind: 'restart' }
  }

  async #adoptPresent(openAgents: OpenAgents): Promise<void> {
    const build = await this.#readBuild(openAgents)
    const [primary, secondary, own] = this.#present
    if (build === undefined || build <= own) return
    this.#present = [primary, secondary, build]
    this.#deps.log.warn(
      { version: this.#present.join('.'), refused: own },
      'newer version announced: the network refused ours',
    )
  }

  #readBuild(openAgents: OpenAgents): Promise<number | undefined> {
    const { clock } = this.#deps
    const now = clock.now()
    if (!this.#reading || now - this.#reading.since >= SITE_IS_NEW_MS) {
      this.#reading = { since: now, build: this.#fetchBuild(openAgents) }
    }
    return this.#reading.build
  }

  async #fetchBuild(openAgents: OpenAgents): Promise<number | undefined> {
    const agents = openAgents()
    const site = await fetchSite(this.#deps.url, agents?.socket, SITE_WITHIN_MS)
    agents?.close()
    return readPresentBuild(site)
  }
}
