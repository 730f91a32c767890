// The restore of one part, which is undone as long as another part may fail.

export interface PendingRestore {
  /** Makes the data visible to the gateway. */
  finishRestore(): Promise<void>
  /** Removes all that was written, also after `finishRestore`. */
  rollBack(): Promise<void>
}

/** Rolls all of them back, also after one of them failed, and prints what is left: the caller throws the error that stopped the restore. */
export async function rollBackAll(
  pending: readonly Pick<PendingRestore, 'rollBack'>[],
  printLine: (line: string) => void = console.error,
): Promise<void> {
  for (const one of pending)
    await one
      .rollBack()
      .catch((error: unknown) =>
        printLine(`Some of what was restored is left: it cannot be removed (${(error as Error).message}).`),
      )
}
