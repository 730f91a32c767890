// The OpenAPI document below a prefix. Apart from uazapi-document, because that is only read when the pages are built.

interface Document {
  servers: [{ url: string }]
  paths: Record<string, unknown>
}

/** Without what is at the root only. `document`: of this form. */
export function toDocumentBelow(
  document: unknown,
  prefix: string,
  isAtRootOnly: (path: string) => boolean,
): unknown {
  const { paths, servers, ...rest } = document as Document
  const [server] = servers
  return {
    ...rest,
    servers: [{ ...server, url: server.url.replace(/\/$/, '') + prefix }],
    paths: Object.fromEntries(Object.entries(paths).filter(([path]) => !isAtRootOnly(path))),
  }
}
