// The destination of a connection through a proxy.

export interface Target {
  /** A name or an address; the proxy resolves the name. */
  host: string
  port: number
}
