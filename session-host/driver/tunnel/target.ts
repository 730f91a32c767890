// Where a connection by a proxy is to lead.

export interface Target {
  /** A name or an address; the proxy resolves the name. */
  host: string
  port: number
}
