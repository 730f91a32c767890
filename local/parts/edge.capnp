# The edge on one machine: the bundled worker in the Workers runtime, as `local/parts/edge.ts` starts it.
# Addresses and folders come from its command line, settings and secrets from its environment.

using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  # A small young generation: it is collected often and briefly, which cuts the slowest answers by half and more.
  v8Flags = ["--max-semi-space-size=2"],

  services = [
    (name = "edge", worker = .edge),

    (name = "internet", network = .internet),
    (name = "private-outbound", network = .anywhere),

    # The libSQL server: --external-addr=database=HOST:PORT
    (name = "database", external = (http = ())),

    # What the durable objects keep: --directory-path=state=FOLDER
    (name = "state", disk = (writable = true)),
  ],

  sockets = [
    # --socket-addr=http=HOST:PORT
    (name = "http", address = "127.0.0.1:8787", http = (), service = "edge"),
    # The tick of the minute and the metrics: --socket-addr=clock=127.0.0.1:PORT
    (name = "clock", address = "127.0.0.1:8788", http = (), service = (name = "edge", entrypoint = "Clock")),
  ],
);

# What fetch() reaches. Refused after a name was resolved: loopback and private networks, which are not "public", and
# what else is not reachable from anywhere (the blocks of shared/addresses.ts; a test holds them alike).
const internet :Workerd.Network = (
  allow = ["public"],
  deny = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
    "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
    "224.0.0.0/4", "240.0.0.0/4",
    "::/3", "4000::/2", "8000::/1", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
  ],
  tlsOptions = (trustBrowserCas = true),
);

# Receivers named in WEBHOOK_ALLOWLIST may be anywhere.
const anywhere :Workerd.Network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true));

const edge :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "../../.build/edge.js")],
  compatibilityDate = "2026-07-01",
  # The second: a request says when its caller has left.
  compatibilityFlags = ["nodejs_compat", "enable_request_signal"],
  globalOutbound = "internet",

  bindings = [
    (name = "DATABASE", service = "database"),
    (name = "PRIVATE_OUTBOUND", service = "private-outbound"),
    (name = "DATABASE_URL", fromEnvironment = "DATABASE_URL"),
    (name = "DATABASE_TOKEN", fromEnvironment = "DATABASE_TOKEN"),
    (name = "ADMIN_TOKEN", fromEnvironment = "ADMIN_TOKEN"),
    (name = "SEAL_KEYS", fromEnvironment = "SEAL_KEYS"),
    (name = "WEBHOOK_ALLOWLIST", fromEnvironment = "WEBHOOK_ALLOWLIST"),
    (name = "WEBHOOKS", fromEnvironment = "WEBHOOKS"),
    (name = "GLOBAL_WEBHOOK_URL", fromEnvironment = "GLOBAL_WEBHOOK_URL"),
    (name = "GLOBAL_WEBHOOK_EVENTS", fromEnvironment = "GLOBAL_WEBHOOK_EVENTS"),
    (name = "GLOBAL_WEBHOOK_SECRET", fromEnvironment = "GLOBAL_WEBHOOK_SECRET"),
    (name = "CALLS", fromEnvironment = "CALLS"),
    (name = "MCP", fromEnvironment = "MCP"),
    (name = "COMPATIBILITY", fromEnvironment = "COMPATIBILITY"),
    (name = "LISTENS_AT", fromEnvironment = "LISTENS_AT"),
    (name = "CORS_ORIGINS", fromEnvironment = "CORS_ORIGINS"),
    (name = "PUBLIC_URL", fromEnvironment = "PUBLIC_URL"),
    (name = "LOCAL_PROXIES", fromEnvironment = "LOCAL_PROXIES"),
    (name = "ACTION_TIMEOUT_MS", fromEnvironment = "ACTION_TIMEOUT_MS"),
    (name = "LEASE_MS", fromEnvironment = "LEASE_MS"),
    (name = "SEND_RATE", fromEnvironment = "SEND_RATE"),
    (name = "REQUEST_RATE", fromEnvironment = "REQUEST_RATE"),
    (name = "STREAM_RATE", fromEnvironment = "STREAM_RATE"),
    (name = "WEBHOOK_CHANGE_RATE", fromEnvironment = "WEBHOOK_CHANGE_RATE"),
    (name = "INSTANCE_BODY_MB", fromEnvironment = "INSTANCE_BODY_MB"),
    (name = "BODY_MB", fromEnvironment = "BODY_MB"),
    (name = "LOG_LEVEL", fromEnvironment = "LOG_LEVEL"),
    (name = "KEEP_EVENTS_DAYS", fromEnvironment = "KEEP_EVENTS_DAYS"),
    (name = "KEEP_AUDIT_DAYS", fromEnvironment = "KEEP_AUDIT_DAYS"),
    (name = "CLIENT_ADDRESS_HEADER", fromEnvironment = "CLIENT_ADDRESS_HEADER"),
    (name = "LABORATORY_URL", fromEnvironment = "LABORATORY_URL"),
    (name = "LABORATORY_KEY", fromEnvironment = "LABORATORY_KEY"),
    (name = "HOST_LINK", durableObjectNamespace = "HostLink"),
    (name = "COURIER", durableObjectNamespace = "Courier"),
  ],

  durableObjectNamespaces = [
    (className = "HostLink", uniqueKey = "msgnet-gateway-host-link", enableSql = true),
    (className = "Courier", uniqueKey = "msgnet-gateway-courier", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "state"),
);
