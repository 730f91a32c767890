// Apart from console-session.ts, because it is about requests and not about users: one that says how much of its body has been sent,
// which `fetch` cannot.

type Fetch = typeof globalThis.fetch

/** `onProgress` is called with the bytes that were sent. */
export const createUploadingFetch =
  (onProgress: (bytes: number) => void): Fetch =>
  (input, { method = 'GET', headers, body, signal } = {}) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest()
      request.open(method, String(input))
      for (const [name, value] of new Headers(headers)) request.setRequestHeader(name, value)
      request.upload.onprogress = ({ loaded }) => onProgress(loaded)
      request.onload = () => resolve(toResponse(request))
      request.onerror = () => reject(new TypeError('there was no response'))
      request.onabort = () => reject(new DOMException('stopped', 'AbortError'))
      signal?.addEventListener('abort', () => request.abort(), { once: true })
      request.send(body as XMLHttpRequestBodyInit)
    })

function toResponse(request: XMLHttpRequest): Response {
  const lines = request.getAllResponseHeaders().trim().split(/\r?\n/)
  const headers = lines.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string])
  return new Response(request.responseText, { status: request.status, headers })
}
