// A program that sends a request outward for each one it gets, as the edge does: to `x-url`, also to private addresses if `x-anywhere` is set.

import { createServer } from 'node:http'
import { fetchOutbound } from '@msgnet/edge/node/outbound.ts'

createServer(async (request, response) => {
  const { 'x-url': url, 'x-anywhere': anywhere } = request.headers as Record<string, string>
  try {
    const result = url
      ? await fetchOutbound(anywhere ? 'allowlisted' : 'public', decodeURIComponent(url), {})
      : undefined
    await result?.body?.cancel()
    response.end()
  } catch {
    response.writeHead(502).end()
  }
}).listen(Number(process.argv[2]), '127.0.0.1')
