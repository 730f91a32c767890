// Fetches what the header `x-url` says, by the edge's way to the internet or by the way to anywhere.

export default {
  async fetch(request, env) {
    const outbound = request.headers.has('x-anywhere') ? env.ANYWHERE : globalThis
    try {
      const { status } = await outbound.fetch(decodeURIComponent(request.headers.get('x-url')))
      return new Response(`answered ${status}`)
    } catch (error) {
      return new Response(String(error), { status: 502 })
    }
  },
}
