// The companions of a phone: links them by QR code or pairing code, unlinks them, and sends them bytes.
import { Hono } from 'hono'
import * as z from 'zod'
import { unlinkCompanion } from '../network/devices.ts'
import type { Network } from '../network/simulated-network.ts'
import { pairByCode } from '../pairing/pair-by-code.ts'
import { pairByQr, parseQr } from '../pairing/pair-by-qr.ts'
import { readBody, requirePhone } from './control-body.ts'
import { createProblem } from './problem.ts'

const Qr = z.strictObject({ qr: z.string().min(1) })
const Code = z.strictObject({
  code: z.string().transform((code) => code.replace(/[\s-]/g, '').toUpperCase()),
})
const Frame = z.strictObject({ raw: z.base64().min(4) })
const Unlink = z.strictObject({ device: z.int().positive().optional() })

export function createCompanionRoutes(network: Network) {
  return new Hono()
    .post('/:number/scan', async (c) => {
      const account = requirePhone(network, c.req.param('number'))
      const code = parseQr((await readBody(c, Qr)).qr)
      if (code === undefined) throw createProblem(400, 'this is no linking code', 'qr')
      return c.json({ device: await pairByQr(network, account, code) })
    })

    .post('/:number/code', async (c) => {
      const account = requirePhone(network, c.req.param('number'))
      const { code } = await readBody(c, Code)
      if (!/^[0-9A-Z]{8}$/.test(code)) throw createProblem(400, 'a code has eight characters', 'code')
      return c.json({ device: await pairByCode(network, account, code) })
    })

    .post('/:number/unlink', async (c) => {
      const account = requirePhone(network, c.req.param('number'))
      const { device } = await readBody(c, Unlink)
      const present = network.store.companions
        .listByNumber(account.number)
        .map((companion) => companion.device)
      if (device !== undefined && !present.includes(device))
        throw createProblem(404, `no companion ${device}`)
      const devices = device === undefined ? present : [device]
      for (const one of devices) unlinkCompanion(network, account, one)
      return c.json({ devices })
    })

    .post('/:number/frames', async (c) => {
      const { number } = requirePhone(network, c.req.param('number'))
      const bytes = Buffer.from((await readBody(c, Frame)).raw, 'base64')
      const reached = network.connections.listConnections(number)
      for (const { socket } of reached) socket.sendEncoded(bytes)
      return c.json({ reached: reached.length })
    })
}
