// One who calls the gateway over HTTP, with the answer taken apart for the tests.

import { expectDocumented } from './contract/documented.ts'

export interface Answer {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of many shapes; a wrong path fails the test.
  body: any
}

export interface Caller {
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  delete(path: string, headers?: Record<string, string>): Promise<Answer>
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

/** A caller of the API: every answer it sees must be one that the document promises. */
export const makeCaller = (baseUrl: string, credential: Record<string, string>): Caller =>
  plainCaller(baseUrl, credential, (method, path, answer) => expectDocumented({ method, path, ...answer }))

type Judge = (method: string, path: string, answer: Answer) => void

/** For what is not the API: nobody judges the answers unless told. */
export function plainCaller(
  baseUrl: string,
  credential: Record<string, string>,
  judge: Judge = () => undefined,
): Caller {
  async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        ...credential,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const answer = { status: response.status, headers: response.headers, text, body: parse(text) }
    judge(method, path, answer)
    return answer
  }
  return {
    ask,
    get: (path, headers) => ask('GET', path, undefined, headers),
    post: (path, body = {}, headers) => ask('POST', path, body, headers),
    delete: (path, headers) => ask('DELETE', path, undefined, headers),
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
