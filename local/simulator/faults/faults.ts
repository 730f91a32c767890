// The faults that are in force, and what they do to whom.
export type Fault =
  | { kind: 'silent'; number?: string | undefined; xmlns?: string | undefined; tag?: string | undefined }
  | {
      kind: 'refuse'
      code: number
      number?: string | undefined
      xmlns?: string | undefined
      tag?: string | undefined
    }
  | { kind: 'slow'; ms: number; number?: string | undefined }
  | { kind: 'unreachable'; number?: string | undefined }
  | { kind: 'login'; code: number; number?: string | undefined }

/** What a client asked for: `tags` are the names by which a fault may mean it. */
export type Subject = { number: string | undefined; xmlns?: string; tags: string[] }

type Standing = { id: string; fault: Fault; left: number }

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

  forRequest(subject: Subject): { silent: boolean; refused: number | undefined } {
    const silent = this.#use((fault) => fault.kind === 'silent' && means(fault, subject)) !== undefined
    if (silent) return { silent, refused: undefined }
    const refuse = this.#use((fault) => fault.kind === 'refuse' && means(fault, subject))
    return { silent, refused: refuse?.kind === 'refuse' ? refuse.code : undefined }
  }

  /** Without a number: whether the network as a whole takes no connections. */
  unreachable(number: string | undefined): boolean {
    const stands = (fault: Fault) =>
      fault.kind === 'unreachable' &&
      (number === undefined ? fault.number === undefined : fault.number === number)
    return this.#use(stands) !== undefined
  }

  loginFailure(number: string | undefined): number | undefined {
    const fault = this.#use((one) => one.kind === 'login' && concerns(one, number))
    return fault?.kind === 'login' ? fault.code : undefined
  }

  /** Does it now, or as late as a fault demands. */
  later(number: string | undefined, act: () => void) {
    const fault = this.#use((one) => one.kind === 'slow' && concerns(one, number))
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

function concerns(fault: Fault, number: string | undefined): boolean {
  return fault.number === undefined || fault.number === number
}

function means(fault: Fault & { kind: 'silent' | 'refuse' }, { number, xmlns, tags }: Subject): boolean {
  if (!concerns(fault, number)) return false
  if (fault.xmlns !== undefined && fault.xmlns !== xmlns) return false
  // A fault that names neither namespace nor tag means requests, not messages.
  if (fault.tag === undefined) return tags.includes('iq')
  return tags.includes(fault.tag)
}
