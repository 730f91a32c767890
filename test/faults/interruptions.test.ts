// Which sends may have been written to a killed network in vain: those that the machine still took, and no others.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { wasInterrupted, watchInterruption } from '../chaos/interruptions.ts'

const PROGRAM = `import { createServer } from 'node:net'
const server = createServer((socket) => socket.resume().write('connected'))
server.listen(0, '127.0.0.1', () => process.send(server.address().port))`

test.runIf(process.platform === 'linux')(
  'what is written to a killed process whose end was not read has left, and nothing that begins later has',
  async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'killed-')), 'server.mjs')
    writeFileSync(file, PROGRAM)
    const child = fork(file)
    const [port] = (await once(child, 'message')) as [number]
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    await once(socket, 'data')

    const watched = watchInterruption(port)
    child.kill('SIGKILL')
    await once(child, 'exit')
    const began = Date.now()
    // The process has ended, and the machine takes the bytes all the same.
    const error = await new Promise((resolve) => socket.write('in vain', resolve))
    expect(error ?? undefined).toBe(undefined)
    const ended = Date.now()
    socket.destroy()

    const interruption = await watched
    expect(interruption.from).toBeLessThanOrEqual(began)
    expect(wasInterrupted({ began, ended, delayMs: 0 }, [interruption])).toBe(true)
    const later = interruption.until + 1
    expect(wasInterrupted({ began: later, ended: later + 9, delayMs: 0 }, [interruption])).toBe(false)
    expect(wasInterrupted({ began, ended: later + 9, delayMs: later - began }, [interruption])).toBe(false)
    expect(
      wasInterrupted({ began: began - 9000, ended: interruption.from - 1, delayMs: 0 }, [interruption]),
    ).toBe(false)
  },
)
