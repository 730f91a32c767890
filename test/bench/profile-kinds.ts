// What a sample was doing, by the names on its stack: the first kind that fits.

export type Profiled = 'edge' | 'database'

interface Kind {
  name: string
  /** Of any function on the stack. */
  within?: RegExp
  /** Of the function that ran. */
  leaf?: RegExp
}

const kinds: Record<Profiled, Kind[]> = {
  edge: [
    {
      name: 'V8: garbage collection',
      within: /Heap::CollectGarbage|Scavenge|MarkCompact|Sweeper|MarkingJob/,
    },
    { name: 'V8: JSON', within: /Json(Parser|Stringif)|FastJsonStringifier/ },
    { name: 'cryptography', within: /SubtleCrypto|EVP_|sha(256|512)|hmac/i },
    {
      name: 'the system: sockets, waking up',
      leaf: /\(\[kernel|\[vdso\]| syscall | __?(send|recv|epoll|read|write)/,
    },
    {
      name: 'memory: allocation, copies',
      leaf: /[Mm]alloc|[Ff]ree|TCMalloc|mem(cpy|move|set)|operator (new|delete)/,
    },
    { name: 'V8: built-in functions', leaf: /Builtins_/ },
    { name: 'V8: calls to C++, properties, strings', leaf: / v8::| <?cppgc::/ },
    { name: 'compiled JavaScript', leaf: /perf-\d+\.map|anon\]|\[unknown\]/ },
    { name: 'the runtime’s objects: requests, streams, timers', leaf: / <?workerd::| workerd\$/ },
    {
      name: 'the runtime’s event loop and HTTP',
      leaf: / <?(kj|capnp|kj_|hyper|tokio|h2|http|bytes|core|alloc|std)/,
    },
  ],
  database: [
    { name: 'the token’s signature', within: /jsonwebtoken|jwt|EdDSA|25519| ge_| fe_|sha512/i },
    {
      name: 'commit: write-ahead log, replication log',
      within:
        /sqlite3VdbeHalt|PagerCommit|BtreeCommit|[Rr]eplication|pagerWal|WalFrames|fsync|fdatasync|checkpoint/i,
    },
    {
      name: 'SQL read and planned by SQLite',
      within: /sqlite3_prepare|LockAndPrepare|RunParser|sqlite3Prepare/,
    },
    {
      name: 'SQL read by the server itself',
      within: /libsql_sqlite3_parser|query_analysis|proto_stmt_to_query/,
    },
    { name: 'running the statements', within: /sqlite3/ },
    { name: 'JSON', within: /serde/ },
    {
      name: 'threads and sockets: waiting, waking',
      within: /futex|park|epoll|eventfd|[Cc]ondvar|wake|mio::|tcp_|sock|schedule/,
    },
    { name: 'HTTP', within: /axum|tower|hyper|http::|h2::|Router|flate|miniz|deflate/ },
  ],
}

/** `stack`: lines of `perf script` with address, symbol and file, the function that ran first. */
export function kindOf(part: Profiled, stack: string[]): string {
  const [ran = ''] = stack
  const fits = ({ leaf, within }: Kind) =>
    leaf?.test(ran) || (within && stack.some((line) => within.test(line)))
  return kinds[part].find(fits)?.name ?? 'other'
}
