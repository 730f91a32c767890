// The documentation page as it is built, for the edge that serves it.

export interface BuiltDocs {
  html: string
  /** Its Content-Security-Policy: its own style and script, and nothing else. */
  policy: string
  /** The origin in its samples if the browser's is not known. */
  sampleOrigin: string
}
