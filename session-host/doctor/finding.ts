// What the doctor found: one line for each check, with what to do where something is wrong.

export interface Finding {
  check: string
  state: 'ok' | 'warn' | 'fail'
  says: string
  /** Empty where there is nothing to do. */
  todo: string
}

export const ok = (check: string, says: string): Finding => ({ check, state: 'ok', says, todo: '' })
export const warn = (check: string, says: string, todo: string): Finding => ({
  check,
  state: 'warn',
  says,
  todo,
})
export const fail = (check: string, says: string, todo: string): Finding => ({
  check,
  state: 'fail',
  says,
  todo,
})

const width = 18

export const describeFinding = ({ check, state, says, todo }: Finding): string =>
  `${state.padEnd(5)} ${check.padEnd(width)} ${says}${todo && `\n${' '.repeat(6 + width + 1)}${todo}`}`
