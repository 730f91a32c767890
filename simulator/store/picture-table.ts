// The pictures of groups and of accounts, one each.
import type { DatabaseSync } from 'node:sqlite'
import { readBlob, readInteger, readText } from './network-database.ts'

export type Picture = {
  /** Digits; each new picture gets a new one. */
  id: string
  /** In hex. */
  sha256: string
  width: number
  height: number
}

export function createPictureTable(database: DatabaseSync) {
  const find = database.prepare('select id, sha256, width, height from pictures where owner = ?')
  const jpeg = database.prepare('select jpeg from pictures where id = ?')
  const set = database.prepare('insert or replace into pictures values (?, ?, ?, ?, ?, ?)')
  const drop = database.prepare('delete from pictures where owner = ?')

  return {
    /** `owner` is a group's id or an account's number. */
    findByOwner(owner: string): Picture | undefined {
      const row = find.get(owner)
      return (
        row && {
          id: readText(row, 'id'),
          sha256: readText(row, 'sha256'),
          width: readInteger(row, 'width'),
          height: readInteger(row, 'height'),
        }
      )
    },
    setPicture(owner: string, { id, sha256, width, height }: Picture, bytes: Uint8Array) {
      set.run(owner, id, sha256, width, height, bytes)
    },
    /** Undefined once the picture has been replaced or removed. */
    readJpeg(id: string): Buffer | undefined {
      const row = jpeg.get(id)
      return row && readBlob(row, 'jpeg')
    },
    deletePicture(owner: string) {
      drop.run(owner)
    },
  }
}
