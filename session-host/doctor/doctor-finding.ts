// What the doctor found: one line for each check, with what to do where something is wrong.

export interface Finding {
  check: string
  state: 'ok' | 'warn' | 'fail'
  says: string
  /** Empty where there is nothing to do. */
  advice: string
}

export const ok = (check: string, says: string): Finding => ({ check, state: 'ok', says, advice: '' })
export const warn = (check: string, says: string, advice: string): Finding => ({
  check,
  state: 'warn',
  says,
  advice,
})
export const fail = (check: string, says: string, advice: string): Finding => ({
  check,
  state: 'fail',
  says,
  advice,
})

const width = 18

export const describeFinding = ({ check, state, says, advice }: Finding): string =>
  `${state.padEnd(5)} ${check.padEnd(width)} ${says}${advice && `\n${' '.repeat(6 + width + 1)}${advice}`}`
