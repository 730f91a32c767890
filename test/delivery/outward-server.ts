// A program that sends a request outward for each one it gets, as the edge does: to `x-url`, with the reach in `x-reach`.

import { createServer } from 'node:http'
import { fetchOutward } from '../../edge/node/outbound.ts'
import type { Reach } from '../../edge/runtime.ts'

createServer(async (request, response) => {
  const { 'x-url': url, 'x-reach': reach } = request.headers as Record<string, string>
  try {
    const answer = url ? await fetchOutward(reach as Reach, decodeURIComponent(url), {}) : undefined
    await answer?.body?.cancel()
    response.end()
  } catch {
    response.writeHead(502).end()
  }
}).listen(Number(process.argv[2]), '127.0.0.1')
