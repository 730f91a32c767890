// Makes a typed method for each declared route, under the route's name. In the package its types are interfaces (`cli/build/clients/typescript-code.ts`).

import type { routes as declared } from '@msgnet/shared/api/api.ts'
import type { ValueOf } from '@msgnet/shared/api/route-declaration.ts'
import type * as z from 'zod'
import type { Options, Repeatable, SendRequest } from './request-sender.ts'
import { routes, type routesByHand } from './routes.ts'

type Routes = typeof declared
export type RouteName = keyof Routes

type Id<R> = [
  ...(R extends { names: string } ? [id: string] : []),
  ...(R extends { namesWithin: 'link' } ? [linkId: string] : []),
  ...(R extends { namesWithin: 'scopedToken' } ? [tokenId: string] : []),
]

/** A query parameter `true` or `false` can be passed as a boolean. */
type Parameters<Query> = {
  [Name in keyof Query]: 'true' extends Query[Name] ? boolean | Query[Name] : Query[Name]
}
type Request<R> = R extends { body: { schema: infer Body; optional: true } }
  ? [request?: z.input<Body>]
  : R extends { body: { schema: infer Body } }
    ? [request: z.input<Body>]
    : R extends { query: infer Query }
      ? [filter?: Parameters<z.input<Query>>]
      : []

type AllowedOptions<R> = R extends { idempotent: number } ? Repeatable : Options

export type Method<Name extends RouteName> = (
  ...args: [...Id<Routes[Name]>, ...Request<Routes[Name]>, options?: AllowedOptions<Routes[Name]>]
) => Promise<ValueOf<Routes[Name]>>

/** The routes that take this credential. */
export type Methods<Auth> = {
  [Name in keyof Routes as Routes[Name] extends { auth: Auth }
    ? Exclude<Name, (typeof routesByHand)[number]>
    : never]: Method<Name>
}

export const createMethods = <Auth extends string>(auth: Auth, call: SendRequest) =>
  Object.fromEntries(
    Object.entries(routes)
      .filter(([, route]) => route.auth === auth)
      .map(([name, { method, path, takes, once, reads }]) => [
        name,
        (...args: unknown[]) => {
          const rest = [...args]
          const at = path.replace(/\{\w+\}/g, () => encodeURIComponent(String(rest.shift())))
          const request = takes && (rest.shift() ?? {})
          const [options] = rest as [Repeatable | undefined]
          return call(method, at, {
            ...(takes && { [takes]: request }),
            options,
            ...(once && { once }),
            ...(reads && { reads }),
          })
        },
      ]),
  ) as unknown as Methods<Auth>
