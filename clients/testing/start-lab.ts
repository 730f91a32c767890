// A laboratory in a test: a gateway with a simulated network, whose clock, receiver and faults do what the test says.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'

export interface Story {
  story: string
  happens: string
  /** What a program should do. */
  should: string
  /** Ids of messages that the gateway tells of, in the order in which they were written. */
  messages: string[]
  /** The number of who writes them. */
  from?: string
  /** The number, or the id of the group, that the program under test is to write to next, in stories about its sends. */
  to?: string
}

export interface LabInstance {
  id: string
  /** Of the API. */
  token: string
  /** Of the account that is linked to it. */
  number: string
}

export interface Received {
  /** By the clock of the gateway, in milliseconds since the epoch. */
  at: number
  id: string
  // biome-ignore lint/suspicious/noExplicitAny: an envelope has other fields for each type.
  envelope: any
  signature: 'right' | 'wrong'
  isRepeated: boolean
  isLate: boolean
  /** With what the program under test has answered; absent if it was not asked, 0 if it was not there. */
  program?: number
  answered: number
}

export interface Judgement {
  deliveries: number
  events: number
  repeated: number
  late: number
  wrongSignatures: number
  refusedByProgram: number
}

export interface LabOptions {
  /** Of a laboratory that runs, in place of a new one: what `npx msgnet-gateway lab` prints. Unless given that of `MSGNET_LAB`. */
  url?: string
  /**
   * Where one runs already: not that of all tests, but an empty one of its own, with another gateway, clock and receiver. The one that runs has it ready;
   * `close` ends it.
   */
  fresh?: boolean
  /** What starts it, if not the installed `msgnet-gateway`. */
  command?: string[]
  /** `host:port` of receivers that the gateway may deliver to, beside that of the laboratory. */
  allow?: string[]
  /** The working directory of the command. */
  cwd?: string
  /** How many gateways a new laboratory keeps ready for those that ask for a fresh one, beside its own: 0 to 4, none unless given. */
  spare?: number
}

export type Lab = Awaited<ReturnType<typeof startLab>>

/** Rejects with what the gateway printed if it does not start. */
export async function startLab(options: LabOptions = {}) {
  const { url, end } = await findLab(options)
  const request = async (method: string, path: string, body?: object) => requestJson(method, url + path, body)
  const facts = await request('GET', '')
  return {
    /** Of the laboratory, for programs in other languages: they read it from `MSGNET_LAB`. */
    url,
    /** Of the API. */
    baseUrl: facts.baseUrl as string,
    adminToken: facts.adminToken as string,
    /** Of the control routes of the simulated network. */
    simulatorUrl: facts.simulatorUrl as string,
    /** That of the laboratory. */
    receiver: facts.receiver as { url: string; secret: string },
    /** By the clock of the gateway, in milliseconds since the epoch. */
    now: async (): Promise<number> => (await request('GET', '')).now,
    /** An instance that is linked to an account, and whose events go to the receiver. */
    createInstance: (name?: string): Promise<LabInstance> => request('POST', '/instances', { name }),
    ...connectNetwork(facts.simulatorUrl, request),
    /** `90s`, `5m`, `3h` or `30d`: each retry and each scheduled message of that time happens. */
    passTime: (time: string): Promise<{ now: number }> => request('POST', '/time', { pass: time }),
    ...connectReceiver(request),
    listStories: async (): Promise<{ name: string; happens: string; should: string }[]> =>
      (await request('GET', '/stories')).stories,
    play: (story: string, instance: LabInstance): Promise<Story> =>
      request('POST', '/stories', { story, instance: instance.id }),
    /** Ends it, unless it is that of all tests. Throws what went wrong in stories that went on while the program acted. */
    async close(): Promise<void> {
      const { problems } = await request('GET', '')
      await end()
      if (problems.length > 0) throw new Error(problems.join('\n'))
    },
  }
}

/** A laboratory that nobody has asked for anything yet. Rejects with what it printed if it does not start. */
export async function startServer(options: LabOptions): Promise<{ url: string; end: () => Promise<void> }> {
  const child = spawnLab(options)
  return {
    url: await readAddress(child),
    async end() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

async function findLab(options: LabOptions) {
  const running = options.url ?? process.env.MSGNET_LAB
  if (!running) return startServer(options)
  if (!options.fresh) return { url: running, end: async () => undefined }
  // By the number it notices that this process was killed.
  const { url } = await requestJson('POST', new URL('/labs', running).href, { pid: process.pid })
  return { url: url as string, end: () => requestJson('DELETE', url) }
}

// biome-ignore lint/suspicious/noExplicitAny: each route answers something else.
type Request = (method: string, path: string, body?: object) => Promise<any>

const connectNetwork = (simulatorUrl: string, request: Request) => {
  const sim: Request = (method, path, body) => requestJson(method, simulatorUrl + path, body)
  const readInbox = async (number: string) => (await sim('GET', `/phones/${number}/inbox`)).messages
  return {
    /** Any control route of the simulated network. */
    sim,
    /** What the phone of a number has got, as it decrypted it. */
    readInbox,
    /** Someone on the network, who can write to an instance. */
    async phone(name?: string) {
      const { number } = await request('POST', '/phones', { name })
      return {
        number: number as string,
        write: async (to: string, text: string): Promise<string> =>
          (await sim('POST', '/messages', { from: number, to, text })).id,
        edit: (id: string, text: string) => sim('POST', `/messages/${id}/edit`, { by: number, text }),
        revoke: (id: string) => sim('POST', `/messages/${id}/revoke`, { by: number }),
        readInbox: () => readInbox(number),
      }
    },
    /** Makes the network do wrong, to the account of an instance; the kinds are on the page of the simulated network. */
    fault: (number: string, kind: string, wish: object = {}) =>
      sim('POST', '/faults', { kind, number, ...wish }),
    endFaults: () => sim('DELETE', '/faults'),
  }
}

const connectReceiver = (request: Request) => ({
  /** Each delivery, of one instance or of all, is passed on to this program, and the gateway gets its answer; null ends that. */
  forwardTo: (program: string | null, instance?: LabInstance) =>
    request('POST', '/receiver', { forwardTo: program, instance: instance?.id }),
  /** Answers with this status without passing on, to one instance or to all; 0 ends that. */
  away: (status: number, instance?: LabInstance) =>
    request('POST', '/receiver', { away: status, instance: instance?.id }),
  /** What the receiver got, from one instance or from all, and what is to be said of it. */
  received: (instance?: LabInstance): Promise<{ judgement: Judgement; received: Received[] }> =>
    request('GET', `/receiver${instance ? `?instance=${instance.id}` : ''}`),
})

function spawnLab({ command = findCommand(), allow = [], cwd, spare = 0 }: LabOptions): ChildProcess {
  const places = allow.flatMap((place) => ['--allow', place])
  const args = [...command.slice(1), '--port', '0', '--spare', String(spare), ...places]
  // By the channel it notices that this process was killed.
  return spawn(command[0] ?? '', args, { cwd, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
}

function findCommand(): string[] {
  const manifest = createRequire(import.meta.url).resolve('msgnet-gateway/package.json')
  return [join(dirname(manifest), 'cli', 'msgnet-gateway'), 'lab']
}

async function readAddress(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('the laboratory has no output')
  const printed: string[] = []
  const failed = new Promise<never>((_, reject) => child.once('error', reject))
  const read = async () => {
    for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
      printed.push(line)
      const [, url] = /^laboratory ready at (\S+)/.exec(line) ?? []
      if (url) return url
    }
    throw new Error(`The laboratory did not start.\n${printed.join('\n')}`)
  }
  return Promise.race([read(), failed])
}

// biome-ignore lint/suspicious/noExplicitAny: each route answers something else.
async function requestJson(method: string, url: string, body?: object): Promise<any> {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${new URL(url).pathname} answered ${response.status}: ${text}`)
  return text ? JSON.parse(text) : null
}
