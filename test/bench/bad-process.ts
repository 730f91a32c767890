// The receivers that misbehave, in a process of their own: what they pour out must not hold up the clock of the others.
//
// Its parent sends {manners, elsewhere}. It sends {urls}, and then {longest} of each in ms for each further message.

import { type Manner, startBadReceiver } from '../delivery/bad-receiver.ts'

process.once('message', async ({ manners, elsewhere }: { manners: Manner[]; elsewhere: string }) => {
  const bad = await Promise.all(manners.map((manner) => startBadReceiver(manner, elsewhere)))
  process.send?.({ urls: bad.map(({ url }) => url) })
  process.on('message', () => process.send?.({ longest: bad.map(({ longest }) => longest) }))
})
process.send?.({ ready: true })
