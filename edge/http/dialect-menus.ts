// Choices of a menu as the contract has them: words, then a bar, then an id or what is opened.

import { type Fields, listObjects, readText } from './read-fields.ts'

/** Parts that are empty at the end are left out. The bar separates, so none is in a part. */
export const joinChoice = (...parts: unknown[]): string =>
  parts
    .map((part) => readText(part).replaceAll('|', '/'))
    .join('|')
    .replace(/\|+$/, '')

/** Of a list: the title of each section, and its rows. `id`: the field that has the id of a row. */
export const listRowChoices = (sections: unknown, id: string): string[] =>
  listObjects(sections).flatMap(({ title, rows }: Fields) => [
    ...(readText(title) === '' ? [] : [`[${readText(title)}]`]),
    ...listObjects(rows).map((row) => joinChoice(row.title, row[id], row.description)),
  ])
