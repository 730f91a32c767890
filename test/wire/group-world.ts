// A world for tests of groups: a linked client, the people it meets, and a group that one of them owns.

import { World } from './simulator-world.ts'

export const GATEWAY = '491700000101'
export const ANNA = '491700000102'
export const BERT = '491700000103'
export const CARL = '491700000104'

export async function openWorldWithPeople() {
  const world = await World.openWorld()
  const client = await world.linkClient(GATEWAY)
  for (const number of [ANNA, BERT, CARL]) await world.post('/phones', { number, name: number })
  return { world, client }
}

/** Anna's, with the client's account and Bert in it, unless `body` sets others. Returns its id. */
export async function createGroup(world: World, body: object = {}): Promise<string> {
  const input = { subject: 'Club', owner: ANNA, participants: [GATEWAY, BERT], ...body }
  return String((await world.post('/groups', input)).body.jid)
}
