// A client that calls the gateway over HTTP, and parses the response for the tests.

import { expectDocumented } from './contract/documented.ts'

export interface ApiResponse {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of many shapes; a wrong path fails the test.
  body: any
}

export interface Caller {
  get(path: string, headers?: Record<string, string>): Promise<ApiResponse>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiResponse>
  delete(path: string, headers?: Record<string, string>): Promise<ApiResponse>
  request(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<ApiResponse>
}

/** A caller of the API: every response must match the document. */
export const createCaller = (baseUrl: string, credential: Record<string, string>): Caller =>
  createPlainCaller(baseUrl, credential, (method, path, response) =>
    expectDocumented({ method, path, ...response }),
  )

type CheckResponse = (method: string, path: string, response: ApiResponse) => void

/** For requests outside the API: responses are not checked unless `checkResponse` is given. */
export function createPlainCaller(
  baseUrl: string,
  credential: Record<string, string>,
  checkResponse: CheckResponse = () => undefined,
): Caller {
  async function request(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        ...credential,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    }).catch((error: Error) => {
      // Of its own "fetch failed" nobody learns who ended the connection.
      throw new Error(`${method} ${path}: ${error.message} (${error.cause})`, { cause: error })
    })
    const text = await response.text()
    const result = { status: response.status, headers: response.headers, text, body: parseJson(text) }
    checkResponse(method, path, result)
    return result
  }
  return {
    request,
    get: (path, headers) => request('GET', path, undefined, headers),
    post: (path, body = {}, headers) => request('POST', path, body, headers),
    delete: (path, headers) => request('DELETE', path, undefined, headers),
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
