// A path as the person at the terminal can copy it.

import { relative } from 'node:path'

/** Short below the folder where the command runs, and else the whole path: a way up and down again is read by nobody. */
export function showPath(path: string): string {
  const near = relative('.', path)
  return near.startsWith('..') ? path : near
}
