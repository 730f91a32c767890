// Types of the modules that `cli/build/write-documentation.ts` writes before the edge is bundled.

declare module '*/.build/documentation.js' {
  /** The OpenAPI document as JSON text. */
  export const openapi: string
  /** The tools of `/mcp` as JSON text: an array of `RouteTool`. */
  export const tools: string
  /** The documentation page as HTML. */
  export const page: string
  /** The page's Content-Security-Policy: its own style and script, and nothing else. */
  export const policy: string
  /** The origin in the page's samples if the browser's is not known. */
  export const sampleOrigin: string
}

// The module that `cli/build/bundle-console.ts` writes.

declare module '*/.build/console.js' {
  /** The console's page as HTML. */
  export const page: string
  /** The page behind a one-time link. */
  export const linkPage: string
  /** The files of both pages, by name. */
  export const files: Partial<Record<string, { type: string; text: string }>>
}
