// The active faults, and the clients and requests that they affect.

/** The accounts that a fault affects; all accounts if it names none. */
type Target = { number?: string | undefined; group?: string | undefined }
type Matching = Target & { xmlns?: string | undefined; tag?: string | undefined }

/** `lost_notice`: a notification about a group, or about the devices of a person, does not reach the account. */
export type SimpleFaultKind = 'garble' | 'duplicate' | 'lost_ack' | 'lost_notice' | 'empty_devices'

export type Fault =
  | ({ kind: 'silent' } & Matching)
  | ({ kind: 'refuse'; code: number } & Matching)
  | ({ kind: 'slow'; ms: number } & Matching)
  | ({ kind: 'unreachable' } & Target)
  | ({ kind: 'login'; code: number } & Target)
  | ({ kind: SimpleFaultKind } & Target)
  | ({ kind: 'ack_error'; code: number } & Target)
  | ({ kind: 'welcome' } & Target)
  | ({ kind: 'leave_out'; whom: string } & Matching)
  | ({ kind: 'media' } & MediaFault & Target)

/**
 * Without a host it affects all, without a direction both. With neither code nor silence the connection is cut, of a `partial` download
 * in the middle of the file.
 */
type MediaFault = {
  host?: number | undefined
  direction?: 'upload' | 'download' | undefined
  code?: number | undefined
  silent?: boolean | undefined
  partial?: boolean | undefined
}

/** The sender or the recipient, and the group. */
export type Subject = { number: string | undefined; group?: string | undefined }
/** A client's request; a fault may select it by any of `tags`. */
export type RequestSubject = Subject & { xmlns?: string; tags: string[] }

type ActiveFault = { id: string; fault: Fault; left: number; skip: number }
export type FaultEffect = { silent: boolean; refused: number | undefined }

export class Faults {
  #active: ActiveFault[] = []
  #lastId = 0

  /** Without a count it stays until all faults are ended. The first `skip` that it fits are spared. */
  addFault(fault: Fault, count = Number.POSITIVE_INFINITY, skip = 0): string {
    const id = this.createId()
    this.#active.push({ id, fault, left: count, skip })
    return id
  }

  createId(): string {
    this.#lastId += 1
    return `fault-${this.#lastId}`
  }

  /** Returns whether it was active. */
  endFault(id: string): boolean {
    const before = this.#active.length
    this.#active = this.#active.filter((one) => one.id !== id)
    return this.#active.length < before
  }

  clearFaults() {
    this.#active = []
  }

  consumeRequestFault(request: RequestSubject): FaultEffect {
    const silent =
      this.#consumeMatching((fault) => fault.kind === 'silent' && matchesRequest(fault, request)) !==
      undefined
    if (silent) return { silent, refused: undefined }
    const refuse = this.#consumeMatching((fault) => fault.kind === 'refuse' && matchesRequest(fault, request))
    return { silent, refused: refuse?.kind === 'refuse' ? refuse.code : undefined }
  }

  /** For a message from a companion. Silent means that it is accepted and never acknowledged. */
  consumeMessageFault(subject: Subject): FaultEffect {
    const refused = this.#consumeMatching(
      (fault) => fault.kind === 'ack_error' && matchesTarget(fault, subject),
    )
    if (refused?.kind === 'ack_error') return { silent: false, refused: refused.code }
    if (this.consumeFault('lost_ack', subject)) return { silent: true, refused: undefined }
    return this.consumeRequestFault({ ...subject, tags: ['message'] })
  }

  consumeFault(kind: SimpleFaultKind, subject: Subject): boolean {
    return (
      this.#consumeMatching((fault) => fault.kind === kind && matchesTarget(fault, subject)) !== undefined
    )
  }

  /** Without a number: whether the whole network refuses connections. */
  isUnreachable(number: string | undefined): boolean {
    const isMatch = (fault: Fault) =>
      fault.kind === 'unreachable' &&
      (number === undefined ? fault.number === undefined : fault.number === number)
    return this.#consumeMatching(isMatch) !== undefined
  }

  findLoginFailure(number: string | undefined): number | undefined {
    const fault = this.#consumeMatching((one) => one.kind === 'login' && matchesTarget(one, { number }))
    return fault?.kind === 'login' ? fault.code : undefined
  }

  /** Whether a device that was never paired receives the stanza of a login. */
  welcomesStranger(): boolean {
    return this.#consumeMatching((one) => one.kind === 'welcome') !== undefined
  }

  /** Whether the response to a request of this namespace leaves out an account that it named. */
  leavesOut(requester: string, xmlns: string, whom: string | undefined): boolean {
    const isMatch = (fault: Fault) =>
      fault.kind === 'leave_out' &&
      fault.whom === whom &&
      matchesTarget(fault, { number: requester }) &&
      (fault.xmlns === undefined || fault.xmlns === xmlns)
    return this.#consumeMatching(isMatch) !== undefined
  }

  /** What happens to a request to a media host; hosts are numbered from 1. */
  consumeMediaFault(host: number, direction: 'upload' | 'download'): MediaFault | undefined {
    const fault = this.#consumeMatching(
      (one) =>
        one.kind === 'media' &&
        (one.host === undefined || one.host === host) &&
        (one.direction === undefined || one.direction === direction),
    )
    return fault?.kind === 'media' ? fault : undefined
  }

  /** Runs it now, or after the delay of a fault. */
  runDelayed(request: RequestSubject, run: () => void) {
    const fault = this.#consumeMatching((one) => one.kind === 'slow' && matchesSlowFault(one, request))
    if (fault?.kind === 'slow') setTimeout(run, fault.ms).unref()
    else run()
  }

  #consumeMatching(stands: (fault: Fault) => boolean): Fault | undefined {
    const found = this.#active.find(({ fault }) => stands(fault))
    if (found === undefined) return undefined
    if (found.skip > 0) {
      found.skip -= 1
      return undefined
    }
    found.left -= 1
    if (found.left <= 0) this.#active = this.#active.filter((one) => one !== found)
    return found.fault
  }
}

function matchesTarget(fault: Fault, { number, group }: Subject): boolean {
  if (fault.group !== undefined && fault.group !== group) return false
  return fault.number === undefined || fault.number === number
}

/** A fault without namespace and tag affects every request that gets a response. */
const matchesSlowFault = (fault: Fault & { kind: 'slow' }, request: RequestSubject): boolean =>
  matchesTarget(fault, request) &&
  (fault.xmlns === undefined || fault.xmlns === request.xmlns) &&
  (fault.tag === undefined || request.tags.includes(fault.tag))

function matchesRequest(fault: Fault & { kind: 'silent' | 'refuse' }, request: RequestSubject): boolean {
  if (!matchesTarget(fault, request)) return false
  if (fault.xmlns !== undefined && fault.xmlns !== request.xmlns) return false
  // A fault without namespace and tag affects requests, not messages.
  if (fault.tag === undefined) return request.tags.includes('iq')
  return request.tags.includes(fault.tag)
}
