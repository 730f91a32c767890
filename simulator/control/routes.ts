// The control interface: every route under /sim.
import { Hono } from 'hono'
import type { Network } from '../network/network.ts'
import { appStateRoutes } from './app-state.ts'
import { callRoutes } from './calls.ts'
import { faultRoutes } from './faults.ts'
import { groupRoutes } from './groups.ts'
import { historyRoutes } from './history.ts'
import { limitRoutes } from './limits.ts'
import { messageRoutes } from './messages.ts'
import { observationRoutes, type Place } from './observation.ts'
import { passkeyRoutes } from './passkeys.ts'
import { phoneRoutes } from './phones.ts'
import { sayProblem } from './problem.ts'
import { profileRoutes } from './profile.ts'
import { siteRoutes } from './site.ts'
import { termRoutes } from './terms.ts'

export function controlRoutes(network: Network, place: Place) {
  return new Hono()
    .route('', siteRoutes(network))
    .route('/sim/phones', phoneRoutes(network))
    .route('/sim/phones', appStateRoutes(network))
    .route('/sim/phones', profileRoutes(network))
    .route('/sim/phones', limitRoutes(network))
    .route('/sim/phones', passkeyRoutes(network))
    .route('/sim/phones', historyRoutes(network))
    .route('/sim/messages', messageRoutes(network))
    .route('/sim/groups', groupRoutes(network))
    .route('/sim/calls', callRoutes(network))
    .route('/sim/faults', faultRoutes(network))
    .route('/sim', termRoutes(network))
    .route('/sim', observationRoutes(network, place))
    .notFound((c) => c.json({ error: 'no such route' }, 404))
    .onError(sayProblem)
}
