// The control interface: every route under /sim.
import { Hono } from 'hono'
import type { Network } from '../network/simulated-network.ts'
import { createAppStateRoutes } from './app-state-control.ts'
import { createCallRoutes } from './call-control.ts'
import { createChangeRoutes } from './change-control.ts'
import { createCompanionRoutes } from './companion-control.ts'
import { createFaultRoutes } from './fault-control.ts'
import { createGroupRoutes } from './group-control.ts'
import { createHistoryRoutes } from './history-control.ts'
import { createMessageRoutes } from './message-control.ts'
import { createObservationRoutes, type NetworkInfo } from './observation.ts'
import { createPasskeyRoutes } from './passkey-control.ts'
import { createPhoneRoutes } from './phone-control.ts'
import { respondWithProblem } from './problem.ts'
import { createProfileRoutes } from './profile-control.ts'
import { createSiteRoutes, createTermRoutes } from './term-control.ts'

export function createControlRoutes(network: Network, info: NetworkInfo) {
  return new Hono()
    .route('', createSiteRoutes(network))
    .route('/sim/phones', createPhoneRoutes(network))
    .route('/sim/phones', createAppStateRoutes(network))
    .route('/sim/phones', createProfileRoutes(network))
    .route('/sim/phones', createCompanionRoutes(network))
    .route('/sim/phones', createPasskeyRoutes(network))
    .route('/sim/phones', createHistoryRoutes(network))
    .route('/sim/messages', createMessageRoutes(network))
    .route('/sim/messages', createChangeRoutes(network))
    .route('/sim/groups', createGroupRoutes(network))
    .route('/sim/calls', createCallRoutes(network))
    .route('/sim/faults', createFaultRoutes(network))
    .route('/sim', createTermRoutes(network))
    .route('/sim', createObservationRoutes(network, info))
    .notFound((c) => c.json({ error: 'no such route' }, 404))
    .onError(respondWithProblem)
}
