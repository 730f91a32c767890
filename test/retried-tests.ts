// Names at the end of a run the tests that passed only when they were tried again: races, each to be found and mended.

import type { Reporter, TestModule } from 'vitest/node'

export default class SecondTries implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const raced = modules.flatMap((module) =>
      [...module.children.allTests()].filter((test) => test.diagnostic()?.flaky),
    )
    if (raced.length === 0) return
    console.log(`\n RACES: ${raced.length} passed at the second try only. Find what each of them races with:`)
    for (const test of raced) {
      console.log(`  ${test.module.relativeModuleId} > ${test.fullName}`)
      for (const { message } of test.result().errors ?? []) console.log(`    ${message.split('\n', 1)[0]}`)
    }
  }
}
