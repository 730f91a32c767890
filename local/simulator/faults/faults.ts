// The faults that are in force, and what they do to whom.

/** Whom a fault means; everybody when it names nobody. */
type Target = { number?: string | undefined; group?: string | undefined }
type Matching = Target & { xmlns?: string | undefined; tag?: string | undefined }

export type Fault =
  | ({ kind: 'silent' } & Matching)
  | ({ kind: 'refuse'; code: number } & Matching)
  | ({ kind: 'slow'; ms: number } & Matching)
  | ({ kind: 'unreachable' } & Target)
  | ({ kind: 'login'; code: number } & Target)
  | ({ kind: 'garble' | 'duplicate' | 'lost_ack' } & Target)
  | ({ kind: 'ack_error'; code: number } & Target)

/** Who asked or is written to, and in which group. */
export type Subject = { number: string | undefined; group?: string | undefined }
/** What a client asked for: `tags` are the names by which a fault may mean it. */
export type RequestSubject = Subject & { xmlns?: string; tags: string[] }

type Standing = { id: string; fault: Fault; left: number }
export type Verdict = { silent: boolean; refused: number | undefined }

export class Faults {
  #standing: Standing[] = []
  #numbered = 0

  /** Without a count it stands until all faults are ended. */
  begin(fault: Fault, count = Number.POSITIVE_INFINITY): string {
    const id = this.nextId()
    this.#standing.push({ id, fault, left: count })
    return id
  }

  nextId(): string {
    this.#numbered += 1
    return `fault-${this.#numbered}`
  }

  endAll() {
    this.#standing = []
  }

  forRequest(asked: RequestSubject): Verdict {
    const silent = this.#use((fault) => fault.kind === 'silent' && means(fault, asked)) !== undefined
    if (silent) return { silent, refused: undefined }
    const refuse = this.#use((fault) => fault.kind === 'refuse' && means(fault, asked))
    return { silent, refused: refuse?.kind === 'refuse' ? refuse.code : undefined }
  }

  /** For a message that a companion sends. Silent means that it is taken and never acknowledged. */
  forMessage(subject: Subject): Verdict {
    const refused = this.#use((fault) => fault.kind === 'ack_error' && concerns(fault, subject))
    if (refused?.kind === 'ack_error') return { silent: false, refused: refused.code }
    if (this.strikes('lost_ack', subject)) return { silent: true, refused: undefined }
    return this.forRequest({ ...subject, tags: ['message'] })
  }

  strikes(kind: 'garble' | 'duplicate' | 'lost_ack', subject: Subject): boolean {
    return this.#use((fault) => fault.kind === kind && concerns(fault, subject)) !== undefined
  }

  /** Without a number: whether the network as a whole takes no connections. */
  unreachable(number: string | undefined): boolean {
    const stands = (fault: Fault) =>
      fault.kind === 'unreachable' &&
      (number === undefined ? fault.number === undefined : fault.number === number)
    return this.#use(stands) !== undefined
  }

  loginFailure(number: string | undefined): number | undefined {
    const fault = this.#use((one) => one.kind === 'login' && concerns(one, { number }))
    return fault?.kind === 'login' ? fault.code : undefined
  }

  /** Does it now, or as late as a fault demands. */
  later(asked: RequestSubject, act: () => void) {
    const fault = this.#use((one) => one.kind === 'slow' && slows(one, asked))
    if (fault?.kind === 'slow') setTimeout(act, fault.ms).unref()
    else act()
  }

  #use(stands: (fault: Fault) => boolean): Fault | undefined {
    const found = this.#standing.find(({ fault }) => stands(fault))
    if (found === undefined) return undefined
    found.left -= 1
    if (found.left <= 0) this.#standing = this.#standing.filter((one) => one !== found)
    return found.fault
  }
}

function concerns(fault: Fault, { number, group }: Subject): boolean {
  if (fault.group !== undefined && fault.group !== group) return false
  return fault.number === undefined || fault.number === number
}

/** One that names neither namespace nor tag means everything that is answered. */
const slows = (fault: Fault & { kind: 'slow' }, asked: RequestSubject): boolean =>
  concerns(fault, asked) &&
  (fault.xmlns === undefined || fault.xmlns === asked.xmlns) &&
  (fault.tag === undefined || asked.tags.includes(fault.tag))

function means(fault: Fault & { kind: 'silent' | 'refuse' }, asked: RequestSubject): boolean {
  if (!concerns(fault, asked)) return false
  if (fault.xmlns !== undefined && fault.xmlns !== asked.xmlns) return false
  // A fault that names neither namespace nor tag means requests, not messages.
  if (fault.tag === undefined) return asked.tags.includes('iq')
  return asked.tags.includes(fault.tag)
}
