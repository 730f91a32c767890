// The order of the test files: another in each run, so that no file comes to need what an earlier one left behind. Its seed is printed;
// `--sequence.seed=…` repeats it.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

export default class ShuffledFiles extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const seed = this.ctx.config.sequence.seed ?? Date.now()
    console.log(`Files in the order of --sequence.seed=${seed}`)
    const ranked = files.map((file) => ({
      file,
      group: findGroup(file),
      rank: createHash('sha256').update(`${seed} ${file.moduleId}`).digest('hex'),
    }))
    return ranked
      .sort((one, other) => compare(one.group, other.group) || compare(one.rank, other.rank))
      .map(({ file }) => file)
  }
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** A process runs files of one group only, and ends when the next file in order is of another. Those that need their own come first. */
function findGroup({ project, moduleId }: TestSpecification): string {
  const [, ownProcess] = /@vitest-environment-options (.+)/.exec(readFileSync(moduleId, 'utf8')) ?? []
  return ownProcess ? `0 ${ownProcess}` : `1 ${project.name}`
}
